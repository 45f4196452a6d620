import { describe, expect, it } from "vitest";
import { hardcodedRule } from "../../src/policy/hardcoded-rule.ts";
import { judged, opaque, run, touch } from "./effects.ts";
import { path, rule } from "./world.ts";

function verdict(...args: Parameters<typeof judged>) {
  return judged(...args).verdict;
}

const allowAll = rule({ capability: "all", effect: "allow", match: ["*", "/**"] });

describe("the order of grounds", () => {
  it("denies nothing at all", () => {
    expect(judged([])).toEqual({ verdict: "deny", findings: [] });
  });

  it("lets the blocklist win over everything", () => {
    const effect = run("sudo id");
    const blocked = [{ effect, rule: hardcodedRule("blocklist.sudo", "shell", "deny", "no") }];
    const decision = judged([effect, run("ls", { readOnly: true })], { rules: [allowAll], blocked });
    expect(decision.verdict).toBe("deny");
    expect(decision.findings.map((finding) => [finding.verdict, finding.firm, finding.rules[0]?.id])).toEqual([
      ["deny", true, "blocklist.sudo"],
      ["allow", false, allowAll.id],
    ]);
  });

  it("prefers deny over ask over allow, whatever the source and the order", () => {
    const sources = ["managed", "user", "workspace", "agent", "session"] as const;
    for (const strict of ["deny", "ask"] as const)
      for (const from of sources)
        for (const flipped of [false, true]) {
          const rules = [
            rule({ capability: "shell", effect: strict, match: ["git push*"], source: from }),
            rule({ capability: "shell", effect: "allow", match: ["git *"] }),
          ];
          expect(verdict([run("git push")], { rules: flipped ? rules.toReversed() : rules })).toBe(strict);
        }
  });

  it("does not hear an allow of a source that may not allow", () => {
    for (const source of ["managed", "hardcoded"] as const)
      expect(
        verdict([run("git push")], { rules: [rule({ capability: "shell", effect: "allow", match: ["*"], source })] }),
      ).toBe("ask");
  });

  it("allows a read-only command only while its effects are reads in scope", () => {
    const status = run("git status", { readOnly: true });
    expect(verdict([status, touch("read", "/work")])).toBe("allow");
    expect(verdict([status, touch("read", "/etc/motd")])).toBe("ask");
    expect(verdict([status, touch("delete", "/work/x")])).toBe("ask");
    expect(verdict([run("make")])).toBe("ask");
  });

  it("denies an effect whose judgement throws", () => {
    const decision = judged([touch("read", `/work/${"*/".repeat(300)}x`, false)], { rules: [allowAll] });
    expect(decision.verdict).toBe("deny");
    expect(decision.findings[0]?.because).toContain("could not be judged");
  });
});

describe("rules", () => {
  it("apply by meta-capability", () => {
    const cases = [
      ["filesystem", touch("read", "/etc/x"), "allow"],
      ["filesystem", touch("write", "/etc/x"), "allow"],
      ["filesystem", run("x"), "ask"],
      ["builtin", run("x"), "allow"],
      ["builtin", { kind: "use", capability: "mcp", name: "s/t" }, "ask"],
      ["builtin", { kind: "use", capability: "plugin", name: "p" }, "ask"],
      ["all", { kind: "use", capability: "plugin", name: "p" }, "allow"],
    ] as const;
    for (const [capability, effect, expected] of cases)
      expect(verdict([effect], { rules: [rule({ capability, effect: "allow", match: ["*", "/**"] })] })).toBe(expected);
  });

  it("read an empty match as everything for deny and ask, as nothing for allow", () => {
    expect(verdict([run("x")], { rules: [rule({ capability: "shell", effect: "deny", match: [] })] })).toBe("deny");
    expect(
      verdict([touch("read", "/a")], { rules: [rule({ capability: "fs_read", effect: "deny", match: [] })] }),
    ).toBe("deny");
    expect(verdict([run("x")], { rules: [rule({ capability: "shell", effect: "allow", match: [] })] })).toBe("ask");
  });

  it("exclude takes a hit away", () => {
    const allow = rule({ capability: "shell", effect: "allow", match: ["npm *"], exclude: ["npm publish*"] });
    expect(verdict([run("npm ci")], { rules: [allow] })).toBe("allow");
    expect(verdict([run("npm publish --tag x")], { rules: [allow] })).toBe("ask");
    const deny = rule({ capability: "fs_read", effect: "deny", match: ["secrets"], exclude: ["secrets/public"] });
    expect(verdict([touch("read", "/work/secrets/public/a")], { rules: [deny] })).toBe("allow");
    expect(verdict([touch("read", "/work/secrets/a")], { rules: [deny] })).toBe("deny");
    expect(
      verdict([touch("write", "/work/**", false)], {
        rules: [
          rule({ capability: "fs_write", effect: "allow", match: ["/work"], exclude: ["/work/keep"] }),
          rule({ capability: "fs_write", effect: "ask", match: ["/work/**"] }),
        ],
      }),
    ).toBe("ask");
  });

  it("no * of an allow rule stands for a word that is not known, and no exclude of a deny rule does", () => {
    const echo = run("echo $X", { dynamic: true });
    expect(verdict([echo], { rules: [rule({ capability: "shell", effect: "allow", match: ["echo *", "*"] })] })).toBe(
      "ask",
    );
    expect(verdict([echo], { rules: [rule({ capability: "shell", effect: "deny", match: ["echo *"] })] })).toBe("deny");
    expect(
      verdict([echo], {
        rules: [rule({ capability: "shell", effect: "deny", match: ["echo *"], exclude: ["echo $*"] })],
      }),
    ).toBe("deny");
    expect(verdict([echo], { rules: [rule({ capability: "shell", effect: "allow", match: ["echo $X"] })] })).toBe(
      "allow",
    );
  });

  it("strict rules also see the wrapper's form and the program by its path", () => {
    const effect = run("/usr/bin/git push", { program: "git", aliases: ["env X=1 /usr/bin/git push"] });
    for (const match of ["git push*", "env *", "/usr/bin/git*"])
      expect(verdict([effect], { rules: [rule({ capability: "shell", effect: "deny", match: [match] })] })).toBe(
        "deny",
      );
    expect(
      verdict([effect], { rules: [rule({ capability: "shell", effect: "allow", match: ["git *", "env *"] })] }),
    ).toBe("ask");
  });

  it("deny what may touch, allow what is wholly covered", () => {
    const deny = [rule({ capability: "filesystem", effect: "deny", match: ["foo.txt", "sub/**/.env"] })];
    expect(verdict([touch("read", "/work/*.txt", false)], { rules: deny })).toBe("deny");
    expect(verdict([touch("delete", "/work/sub/**", false)], { rules: deny })).toBe("deny");
    expect(verdict([touch("read", "/work/src/**", false)], { rules: deny })).toBe("allow");
    const searching = judged([touch("read", "/work/**", false)], { rules: deny });
    expect(searching.findings[0]).toMatchObject({ verdict: "ask", firm: true });
    const allow = [rule({ capability: "fs_read", effect: "allow", match: ["/etc/a/*", "/data"] })];
    expect(verdict([touch("read", "/etc/a/**", false)], { rules: allow })).toBe("ask");
    expect(verdict([touch("read", "/etc/a/*", false)], { rules: allow })).toBe("allow");
    expect(verdict([touch("read", "/data/x/**", false)], { rules: allow })).toBe("allow");
  });
});

describe("what cannot be seen", () => {
  const causes = ["syntax", "dynamic", "environment", "decode", "limit"] as const;

  it.each(causes)("asks firmly for %s, whatever rules say", (cause) => {
    const named = rule({ capability: "shell", effect: "allow", match: ["x *"] });
    expect(judged([run("x y"), opaque("x y", cause)], { rules: [allowAll, named] }).findings[1]).toMatchObject({
      verdict: "ask",
      firm: true,
    });
  });

  it("passes the insides of a program only by a rule that names it", () => {
    const effects = [run("ls", { readOnly: true }), run("npm install x"), opaque("npm install x", "program")];
    const expected = [
      [["npm install *"], "allow"],
      [["npm *"], "allow"],
      [["npm"], "ask"],
      [["*"], "ask"],
      [["n*"], "ask"],
      [["npm*"], "allow"],
      [["npm install x"], "allow"],
      [["np* install x"], "ask"],
    ] as const;
    for (const [match, wanted] of expected)
      expect(verdict(effects, { rules: [rule({ capability: "shell", effect: "allow", match })] })).toBe(wanted);
  });

  it("passes what a well-known program hides only by a rule that spells the whole command", () => {
    for (const text of ["sed 1e f", "rg --pre ./x pat", "git -p log", "sort --compress-program=./x f"]) {
      const [word = ""] = text.split(" ");
      const effects = [run(text), opaque(text, "program")];
      const by = (match: string) =>
        verdict(effects, { rules: [rule({ capability: "shell", effect: "allow", match: [match] })] });
      expect(by(`${word} *`)).toBe("ask");
      expect(by(text)).toBe("allow");
    }
  });

  it("passes a host that the words do not name only where a rule names every program", () => {
    const reach = { kind: "reach", host: "*", port: 443, capability: "sandbox_network" } as const;
    const rules = [rule({ capability: "shell", effect: "allow", match: ["git push *", "*"] })];
    expect(verdict([run("git push origin"), run("git status", { readOnly: true }), reach], { rules })).toBe("allow");
    expect(verdict([run("git push origin"), run("ssh x"), reach], { rules })).toBe("ask");
    expect(verdict([run("git push origin"), { ...reach, host: "a.test" }], { rules })).toBe("ask");
    expect(verdict([reach], { rules })).toBe("ask");
    const no = rule({ capability: "sandbox_network", effect: "deny", match: ["*"] });
    expect(verdict([run("git push origin"), reach], { rules: [...rules, no] })).toBe("deny");
  });

  it("does not let the rule of one program speak for another", () => {
    const rules = [rule({ capability: "shell", effect: "allow", match: ["npm *", "*"] })];
    expect(verdict([run("npm ci"), run("python3 x.py"), opaque("python3 x.py", "program")], { rules })).toBe("ask");
    expect(verdict([run("npm ci"), run("python3 x.py"), opaque("x.py", "program")], { rules })).toBe("ask");
  });
});

describe("scopes and tiers", () => {
  it("cover reads and writes, not deletes", () => {
    expect(verdict([touch("read", "/work/a")])).toBe("allow");
    expect(verdict([touch("write", "/work/a")])).toBe("allow");
    expect(verdict([touch("delete", "/work/a")])).toBe("ask");
    expect(
      verdict([touch("delete", "/work/a")], {
        rules: [rule({ capability: "fs_write", effect: "allow", match: ["a"] })],
      }),
    ).toBe("allow");
    expect(verdict([touch("write", "/workshop/a")])).toBe("ask");
  });

  it("do not cover a subtree that holds a read-only folder", () => {
    const scopes = [
      { root: path("/work"), access: "rw", lasts: "always" },
      { root: path("/work/vendor"), access: "ro", lasts: "always" },
    ] as const;
    expect(verdict([touch("write", "/work/**", false)], { scopes })).toBe("ask");
    expect(verdict([touch("write", "/work/src/**", false)], { scopes })).toBe("allow");
  });

  it.each([
    ["read-only", touch("read", "/work/a"), "allow"],
    ["read-only", touch("write", "/work/a"), "deny"],
    ["builder", touch("write", "/work/a"), "allow"],
    ["builder", run("ls", { readOnly: true }), "deny"],
    ["operator", run("ls", { readOnly: true }), "allow"],
    ["operator", touch("delete", "/work/a"), "deny"],
    ["full", touch("delete", "/work/a"), "ask"],
    ["operator", opaque("x", "program"), "ask"],
    ["builder", opaque("x", "program"), "deny"],
    ["read-only", { kind: "use", capability: "web_search", name: "x" }, "ask"],
    ["builder", { kind: "use", capability: "mcp", name: "s/t" }, "deny"],
    ["read-only", { kind: "reach", host: "a.test", port: 443, capability: "web_fetch" }, "ask"],
    ["builder", { kind: "reach", host: "a.test", port: 443, capability: "sandbox_network" }, "deny"],
  ] as const)("tier %s, %o: %s", (tier, effect, expected) => {
    expect(verdict([effect], { tier })).toBe(expected);
  });

  it("a ceiling holds against allow rules and names the tier", () => {
    const decision = judged([touch("delete", "/work/a")], { tier: "operator", rules: [allowAll] });
    expect(decision.findings[0]).toMatchObject({
      verdict: "deny",
      firm: true,
      rules: [{ id: "tier.full", source: "hardcoded" }],
    });
  });
});

describe("invariants on commands", () => {
  it.each([
    [touch("write", "/work/.git/hooks/pre-commit"), "ask"],
    [touch("write", "/work/.git/config"), "ask"],
    [touch("write", "/work/.git/h*/pre-commit", false), "ask"],
    [touch("write", "/work/.claude/settings.json"), "ask"],
    [touch("write", "/work/.git/index"), "allow"],
    [touch("write", "/work/.git/**", false), "allow"],
    [touch("read", "/work/.git/hooks/pre-commit"), "allow"],
  ] as const)("%o: %s", (effect, expected) => {
    const decision = judged([effect], { rules: [rule({ capability: "fs_write", effect: "allow", match: ["/**"] })] });
    expect(decision.verdict).toBe(expected);
    expect(decision.findings[0]?.firm).toBe(expected === "ask");
  });

  it("own folders are safe from deletes above them", () => {
    const own = ["/home/u/.config/sallyport"];
    expect(verdict([touch("delete", "/home/u/.config")], { own, rules: [allowAll] })).toBe("deny");
    expect(verdict([touch("delete", "/home/u/**", false)], { own, rules: [allowAll] })).toBe("deny");
    expect(verdict([touch("write", "/home/u/**", false)], { own, rules: [allowAll] })).toBe("deny");
    expect(verdict([touch("read", "/home/u/.config/sallyport/x")], { own, rules: [allowAll] })).toBe("deny");
    expect(verdict([touch("read", "/home/u/**", false)], { own, rules: [allowAll] })).toBe("allow");
    expect(verdict([touch("write", "/home/u/.config")], { own, rules: [allowAll] })).toBe("allow");
  });
});
