import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const room = join(import.meta.dirname, "../../src/egress");
const sources = readdirSync(room, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(room, path), "utf8") }));

/** What could open a socket, and where it stands. The two clients beside the dialler are handed a connection that it made. */
const ways: readonly (readonly [what: string, pattern: RegExp, places: readonly string[]])[] = [
  ["import what connects", /import \{[^}]*\bconnect\b[^}]*\} from "node:(?:net|tls)"/, ["dial.ts"]],
  ["make sockets by hand", /\bnew (?:Socket|TLSSocket)\b|from "node:(?:https|http2|dgram)"/, []],
  ["send requests with node:http", /import \{[^}]*\brequest\b[^}]*\} from "node:http"/, ["proxying/forward.ts"]],
  ["use undici", /from "undici"/, ["fetching/exchange.ts"]],
  [
    "use the global fetch or a WebSocket",
    /(?:await|return|[=(]|globalThis\.) ?fetch\(|new (?:WebSocket|EventSource)\b/,
    [],
  ],
  ["resolve names", /from "node:dns/, ["resolve.ts"]],
  ["call the dialler", /[^.\w]dial\(/, ["dial.ts", "fetching/exchange.ts", "proxying/reach.ts"]],
  ["judge a target", /\bPinnedTarget\s*\.\s*judge\b/, ["guard.ts"]],
];

describe("the way out", () => {
  it.each(ways)("only the named places %s", (_what, pattern, places) => {
    expect(sources.length).toBeGreaterThan(20);
    const found = sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
    expect(found.toSorted()).toEqual([...places].toSorted());
  });

  it("the two clients never dial themselves", () => {
    const textOf = (path: string) => sources.find((source) => source.path === path)?.text ?? "";
    expect(textOf("proxying/forward.ts")).toContain("createConnection: () => socket");
    expect(textOf("fetching/exchange.ts")).toContain("connect: (_options, callback) => void connectInto(callback)");
  });
});
