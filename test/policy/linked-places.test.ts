import { describe, expect, it } from "vitest";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import { fakeFacts, judge, rule, shell } from "./world.ts";

const facts = fakeFacts({
  links: {
    "/work/l": "secret",
    "/work/lk": "secret/key",
    "/work/a/b": "../secret",
    "/work/aa": "a",
    "/work/out": "/etc",
    "/work/in": "src",
    "/work/a/up": "../..",
    "/work/odd": "/work/we[i]rd",
  },
  files: ["/work/secret/key", "/work/src/x.ts", "/work/package.json", "/work/we[i]rd/x"],
});
const deny = [rule({ capability: "fs_read", effect: "deny", match: ["/work/secret"] })];

describe("links that a wildcard stands for", () => {
  it.each([
    "cat l*/key",
    "cat lk*",
    "cat [l]k",
    "cat ?k",
    "cat a/*/key",
    "cat a*/b/key",
    "cat aa*/b/k*",
    "x='l*'; cat $x/key",
    "cat /wor?/l/key",
    "cat {l,m}*/key",
    "cat *a/b/**",
    "ls -d l*/*",
  ])("lead to what a rule denies: %s", (text) => {
    expect(judge(shell(text), { facts, rules: deny }).settlement.kind).toBe("deny");
  });

  it.each(["cat */passwd", "cat o*", "head o*/passwd", "ls o*/*", "cat a/*/etc/passwd", "wc -l ?ut/*"])(
    "lead out of the granted folders: %s asks, and says where",
    (text) => {
      const { settlement } = judge(shell(text), { facts, subject: { mode: "autopilot" } });
      expect(settlement).toMatchObject({ kind: "ask" });
      const open = settlement.kind === "ask" ? settlement.open : [];
      expect(open.map(({ because }) => because).join()).toMatch(/outside the granted folders/);
    },
  );

  it("of older shells stand for the parent folder, too", () => {
    for (const text of ["cat .*/etc/passwd", "cat .?/etc/passwd", "ls .*"])
      expect(judge(shell(text), { facts }).settlement.kind).toBe("ask");
    expect(judge(shell("ls .git*"), { facts }).settlement.kind).toBe("allow");
  });

  it.each(["cat i*/x.ts", "ls src/*", "cat *.json", "ls *", "cat sr?/*"])(
    "that stay inside need no question: %s",
    (text) => {
      const inside = fakeFacts({ links: { "/work/in": "src" }, files: ["/work/src/x.ts", "/work/package.json"] });
      expect(judge(shell(text), { facts: inside }).settlement.kind).toBe("allow");
    },
  );

  it("are not looked for outside the granted folders", () => {
    const listed: string[] = [];
    const watched = { ...facts, entries: (folder: AbsolutePath) => (listed.push(folder), []) };
    for (const text of ["cat /home/*/x", "cat /etc/*", "cat /*/secret/key", "cat out/*", "ls src/*"])
      judge(shell(text), { facts: watched });
    expect(new Set(listed)).toEqual(new Set(["/", "/work/src"]));
  });

  it("may lead to names with wildcards of their own", () => {
    const rules = [rule({ capability: "fs_read", effect: "deny", match: [String.raw`/work/we\[i\]rd/x`] })];
    for (const text of ["cat odd/x", "cat odd/?", "cat o*/x"])
      expect(judge(shell(text), { facts, rules }).settlement.kind).toBe("deny");
  });

  it("are too many to look at: a person must", () => {
    const names = (count: number, name: (at: number) => string) => Array.from({ length: count }, (_, at) => name(at));
    const files = fakeFacts({ files: names(5000, (at) => `/work/many/${at}`) });
    const links = fakeFacts({
      links: Object.fromEntries(names(100, (at) => `/work/many/${at}`).map((name) => [name, `${name}-x`])),
    });
    for (const crowd of [files, links])
      expect(judge(shell("cat many/*"), { facts: crowd })).toMatchObject({
        settlement: { kind: "ask", open: [{ effect: { kind: "opaque", cause: "limit" } }] },
      });
  });

  it("that nobody can follow are refused", () => {
    const loop = fakeFacts({ links: { "/work/x": "y", "/work/y": "x" } });
    expect(judge(shell("cat *"), { facts: loop }).settlement.kind).toBe("deny");
  });
});
