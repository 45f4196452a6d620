import type { Effect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";

/** An effect in words, such as `run git push` or `write /work/a`. Holds the caller's own text: surfaces must make control characters visible. */
export function effectText(effect: Effect): string {
  switch (effect.kind) {
    case "run":
      return `run ${effect.text}`;
    case "read":
    case "write":
    case "delete":
      return `${effect.kind} ${effect.path}${effect.spelled === undefined ? "" : ` (asked for as ${effect.spelled})`}`;
    case "reach": {
      const host = effect.host.includes(":") ? `[${effect.host}]` : effect.host;
      const place = effect.url ?? `${host === "*" ? "an unknown host" : host}:${effect.port}`;
      return `reach ${effect.method === undefined ? "" : `${effect.method} `}${place}`;
    }
    case "use":
      return `use ${effect.capability} ${effect.name}`;
    case "opaque":
      return `unseen: ${effect.text}`;
    default:
      return exhausted(effect);
  }
}
