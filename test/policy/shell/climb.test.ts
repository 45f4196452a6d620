import { describe, expect, it } from "vitest";
import { fakeFacts, judge, rule, shell } from "../world.ts";

describe("a path that goes up behind a link", () => {
  const facts = fakeFacts({ links: { "/work/l": "/closed/sub", "/work/in": "/work/deep/er" } });
  const paths = (text: string): string[] =>
    judge(shell(text), { facts }).decision.findings.flatMap(({ effect }) =>
      effect.kind === "read" || effect.kind === "write" || effect.kind === "delete"
        ? [`${effect.kind} ${effect.path}`]
        : [],
    );

  it.each([
    ["cat l/../x", "read /closed/x"],
    ["cat ./l/.././x", "read /closed/x"],
    ["cat /work/l/../x", "read /closed/x"],
    ["cat l/../../etc/shadow", "read /etc/shadow"],
    ["cat in/../y", "read /work/deep/y"],
    ["cat < l/../x", "read /closed/x"],
    ["echo a > l/../x", "write /closed/x"],
    ["cp a l/../x", "write /closed/x"],
    ["rm l/../x", "delete /closed/x"],
    ["frobnicate l/../x", "read /closed/x"],
    ["ls l/../*", "read /closed/*"],
    ["ln -s /secret k; cat k/../etc/x", "read /etc/x"],
    ["cat missing/../z", "read /work/z"],
    ["cat sub/../z", "read /work/z"],
  ])("%s does %s", (text, effect) => {
    expect(paths(text)).toContain(effect);
  });

  it("meets a deny rule for the place where it ends", () => {
    const rules = [rule({ capability: "fs_read", effect: "deny", match: ["/closed/**"] })];
    for (const text of ["cat l/../x", "cat < l/../x", "head -n1 l/../x", "grep a l/../x"])
      expect(judge(shell(text), { facts, rules }).settlement.kind).toBe("deny");
  });

  it("is not judged as if a wildcard stood for no link", () => {
    for (const text of ["cat */../x", "cat < [kl]/../x", "ls ?/../*"])
      expect(judge(shell(text), { facts }).settlement.kind).not.toBe("allow");
  });

  it("is unknown where the link cannot be followed", () => {
    const broken = fakeFacts({ broken: ["/work/l"] });
    expect(judge(shell("cat l/../x"), { facts: broken }).settlement.kind).not.toBe("allow");
  });
});
