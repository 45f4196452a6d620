import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/model/effect.ts";
import type { Rule } from "../../src/model/rule.ts";
import { strictest, type Verdict } from "../../src/model/verdict.ts";
import { settle } from "../../src/policy/settle.ts";
import { judged, opaque, run, touch } from "./effects.ts";

const word = fc.constantFrom("git", "push", "ls", "rm", "-rf", "x");
const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
const place = fc.constantFrom("/work", "/work/a", "/work/a/b", "/etc/x", "/home/u", "/work/.git/config");
const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.tuple(text, fc.boolean(), fc.boolean()).map(([line, dynamic, readOnly]) => run(line, { dynamic, readOnly })),
  fc.tuple(fc.constantFrom("read", "write", "delete"), place).map(([kind, at]) => touch(kind, at)),
  fc.tuple(fc.constantFrom("read", "write", "delete"), place).map(([kind, at]) => touch(kind, `${at}/**`, false)),
  fc
    .tuple(text, fc.constantFrom("syntax", "dynamic", "environment", "decode", "program", "limit"))
    .map(([line, cause]) => opaque(line, cause)),
  fc
    .constantFrom("a.test", "b.test", "*")
    .map((host): Effect => ({ kind: "reach", host, port: 443, capability: "sandbox_network" })),
  fc.constantFrom("s/t", "other").map((name): Effect => ({ kind: "use", capability: "mcp", name })),
);
const pattern = fc.constantFrom(
  "*",
  "git *",
  "git push",
  "rm*",
  "/**",
  "/work",
  "/work/*",
  "a",
  "*.test",
  "s/*",
  "**/b",
);
const rule: fc.Arbitrary<Rule> = fc.record({
  id: fc.constant("r"),
  source: fc.constantFrom("managed", "user", "workspace", "agent", "session"),
  capability: fc.constantFrom("all", "builtin", "filesystem", "shell", "fs_read", "fs_write", "mcp", "sandbox_network"),
  match: fc.array(pattern, { maxLength: 2 }),
  exclude: fc.array(pattern, { maxLength: 1 }),
  effect: fc.constantFrom("deny", "ask", "allow"),
});
const effects = fc.array(effect, { minLength: 1, maxLength: 4 });
const rules = fc.array(rule, { maxLength: 5 });
const tier = fc.constantFrom("read-only", "builder", "operator", "full");
const mode = fc.constantFrom("supervised", "ask", "autopilot", "allow-all");
const runs = { numRuns: 2000 };

/** True where `a` is no looser than `b`. */
function isAtLeast(a: Verdict, b: Verdict): boolean {
  return strictest([a, b]) === a;
}

describe("decide", () => {
  it("never loosens when a deny or ask rule is added", () => {
    fc.assert(
      fc.property(effects, rules, rule, tier, (todo, before, added, tier) => {
        fc.pre(added.effect !== "allow");
        const stricter = judged(todo, { rules: [...before, added], tier });
        expect(isAtLeast(stricter.verdict, judged(todo, { rules: before, tier }).verdict)).toBe(true);
      }),
      runs,
    );
  });

  it("never tightens when an allow rule is added, and never turns a deny", () => {
    fc.assert(
      fc.property(effects, rules, rule, (todo, before, added) => {
        fc.pre(added.effect === "allow" && added.source !== "managed");
        const then = judged(todo, { rules: before }).verdict;
        const now = judged(todo, { rules: [...before, added] }).verdict;
        expect(isAtLeast(then, now)).toBe(true);
        if (then === "deny") expect(now).toBe("deny");
      }),
      runs,
    );
  });

  it("never loosens when an effect is added: text that is put behind an allowed command cannot turn a deny into an allow", () => {
    fc.assert(
      fc.property(effects, effect, rules, (todo, added, held) => {
        // What a program hides, a host that it does not name and a folder that it looks through follow the runs: in a real request there is one.
        fc.pre(
          added.kind !== "run" ||
            (todo.some((each) => each.kind === "run") &&
              !todo.some(
                (each) =>
                  (each.kind === "opaque" && each.cause === "program") || (each.kind === "reach" && each.host === "*"),
              )),
        );
        expect(
          isAtLeast(judged([...todo, added], { rules: held }).verdict, judged(todo, { rules: held }).verdict),
        ).toBe(true);
      }),
      runs,
    );
  });

  it("does not depend on the order of the rules", () => {
    fc.assert(
      fc.property(effects, rules, (todo, held) => {
        expect(judged(todo, { rules: held.toReversed() }).verdict).toBe(judged(todo, { rules: held }).verdict);
      }),
      runs,
    );
  });

  it("never lets a lower tier do more", () => {
    fc.assert(
      fc.property(effects, rules, (todo, held) => {
        const verdicts = (["read-only", "builder", "operator", "full"] as const).map(
          (tier) => judged(todo, { rules: held, tier }).verdict,
        );
        for (const [at, verdict] of verdicts.entries())
          expect(isAtLeast(verdict, verdicts[at + 1] ?? verdict)).toBe(true);
      }),
      runs,
    );
  });

  it("never allows what cannot be decided, nor asks by itself for what is hardcoded to be refused", () => {
    fc.assert(
      fc.property(effects, rules, mode, fc.boolean(), (todo, held, mode, attended) => {
        const decision = judged([...todo, opaque("eval $X", "dynamic")], { rules: held });
        const settled = settle(decision, { mode, attended });
        expect(settled.kind).not.toBe("allow");
        if (!attended) expect(settled.kind).toBe("deny");
      }),
      runs,
    );
  });
});

describe("settle", () => {
  it("never loosens a denial, and a stricter mode never does more", () => {
    const rank = { allow: "allow", ask: "ask", deny: "deny" } as const;
    fc.assert(
      fc.property(effects, rules, tier, fc.boolean(), (todo, held, tier, attended) => {
        const decision = judged(todo, { rules: held, tier });
        const kinds = (["supervised", "ask", "autopilot", "allow-all"] as const).map(
          (mode) => rank[settle(decision, { mode, attended }).kind],
        );
        if (decision.verdict === "deny") expect(new Set(kinds)).toEqual(new Set(["deny"]));
        for (const [at, kind] of kinds.entries()) expect(isAtLeast(kind, kinds[at + 1] ?? kind)).toBe(true);
      }),
      runs,
    );
  });
});
