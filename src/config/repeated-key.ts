import type { ConfigPath } from "./config-value.ts";

/** A key that stands twice in one object. */
export interface RepeatedKey {
  /** Where the object stands. */
  readonly path: ConfigPath;
  readonly key: string;
}

type Frame =
  | { readonly kind: "object"; readonly seen: Set<string>; key: string }
  | { readonly kind: "array"; at: number };

/**
 * The first key that stands twice in one object of a JSON text; undefined: none. `JSON.parse` takes the last of them in silence, other readers the first:
 * what two people read differently is not judged (RFC 8259, 4). The text must be good JSON.
 */
export function repeatedKey(json: string): RepeatedKey | undefined {
  const frames: Frame[] = [];
  let awaitsKey = false;
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs)) {
    const top = frames.at(-1);
    if (token === "{") frames.push({ kind: "object", seen: new Set(), key: "" });
    else if (token === "[") frames.push({ kind: "array", at: 0 });
    else if (token === "}" || token === "]") frames.pop();
    else if (token === ",") {
      if (top?.kind === "array") top.at += 1;
    } else if (awaitsKey && top?.kind === "object") {
      const key = String(JSON.parse(token));
      if (top.seen.has(key)) return { path: frames.slice(0, -1).map(placeIn), key };
      top.seen.add(key);
      top.key = key;
    }
    awaitsKey = token === "{" || (token === "," && top?.kind === "object");
  }
  return undefined;
}

function placeIn(frame: Frame): string | number {
  return frame.kind === "object" ? frame.key : frame.at;
}
