import { describe, expect, it } from "vitest";
import { fakeFacts, intents, judge, path, rule, shell } from "./world.ts";

describe("files", () => {
  it("reads inside the workspace without a question and asks outside it, with the folder named", () => {
    const inside = judge(intents.read("/work/src/a.ts"));
    expect(inside.decision.verdict).toBe("allow");
    expect(inside.settlement).toEqual({ kind: "allow", by: { kind: "rule" } });
    const outside = judge(intents.read("/etc/passwd"));
    expect(outside.settlement.kind).toBe("ask");
    expect(outside.decision.findings[0]?.because).toBe("/etc is outside the granted folders");
  });

  it("judges the real place of a link, and the action carries it", () => {
    const facts = fakeFacts({ links: { "/work/link": "/etc" } });
    const found = judge(intents.read("/work/link/passwd"), { facts });
    expect(found.settlement.kind).toBe("ask");
    expect(found.action.path).toBe("/etc/passwd");
    expect(found.decision.findings[0]?.effect).toEqual({
      kind: "read",
      path: "/etc/passwd",
      spelled: "/work/link/passwd",
      exact: true,
    });
  });

  it("denies both spellings where the denied file is itself a link", () => {
    const facts = fakeFacts({ links: { "/home/u/.zshrc": "/work/dotfiles/zshrc" } });
    const rules = [rule({ capability: "fs_read", effect: "deny", match: ["~/.zshrc"] })];
    for (const asked of ["/home/u/.zshrc", "/work/dotfiles/zshrc"])
      expect(judge(intents.read(asked), { facts, rules }).settlement.kind).toBe("deny");
  });

  it("denies writes and reads in Sallyport's own folders whatever rules say", () => {
    const facts = fakeFacts({}, ["/work/.state"]);
    const rules = [rule({ capability: "all", effect: "allow", match: ["*", "/**"] })];
    for (const intent of [
      intents.write("/work/.state/audit.db"),
      intents.read("/work/.state/audit.db"),
      intents.write("/work/.state"),
    ]) {
      const found = judge(intent, { facts, rules, subject: { mode: "allow-all" } });
      expect(found.settlement.kind).toBe("deny");
      expect(found.decision.findings[0]?.rules.map((each) => each.id)).toEqual(["invariant.own"]);
    }
  });

  it("protects its own folders from both sides of a link", () => {
    const facts = fakeFacts({ links: { "/home/u/.config": "/work/dot" } }, ["/home/u/.config/sallyport"]);
    for (const asked of ["/home/u/.config/sallyport/x", "/work/dot/sallyport/x"])
      expect(judge(intents.write(asked), { facts, subject: { mode: "allow-all" } }).settlement.kind).toBe("deny");
  });

  it.each([
    ".git/hooks/pre-commit",
    ".git/HEAD",
    "CLAUDE.md",
    ".claude/settings.json",
    ".gitignore",
    "sub/.kiro/x",
    ".GIT/config",
    ".husky/pre-push",
    "AGENTS.md",
    ".git",
  ])("asks before the file service writes %s in every mode, and no allow rule lifts it", (name) => {
    const rules = [rule({ capability: "fs_write", effect: "allow", match: ["/**"] })];
    for (const mode of ["supervised", "ask", "autopilot", "allow-all"] as const)
      expect(judge(intents.write(`/work/${name}`), { rules, subject: { mode } }).settlement.kind).toBe("ask");
    const alone = judge(intents.write(`/work/${name}`), { rules, subject: { mode: "allow-all", attended: false } });
    expect(alone.settlement.kind).toBe("deny");
  });

  it.each(["src/git/x", "digit", ".github/workflows/ci.yml", "README.md", "ignore"])(
    "does not ask for %s in autopilot",
    (name) => {
      expect(judge(intents.write(`/work/${name}`)).settlement.kind).toBe("allow");
    },
  );

  it("refuses what nobody can follow", () => {
    const facts = fakeFacts({ broken: ["/work/x"] });
    expect(() => judge(intents.read("/work/x/y"), { facts })).toThrow("permission denied");
  });

  it("keeps deny under a folder that another rule allows", () => {
    const rules = [
      rule({ capability: "fs_read", effect: "deny", match: ["/work/.ssh"] }),
      rule({ capability: "fs_read", effect: "allow", match: ["/work/**"] }),
    ];
    expect(judge(intents.read("/work/.ssh/id"), { rules }).settlement.kind).toBe("deny");
    expect(judge(intents.list("/work/.ssh"), { rules }).settlement.kind).toBe("deny");
    expect(judge(intents.stat("/work/.ssh2"), { rules }).settlement.kind).toBe("allow");
  });

  it("holds a read-only folder inside a read-write one, and the nearest scope wins", () => {
    const scopes = [
      { root: path("/work"), access: "rw", lasts: "always" },
      { root: path("/work/vendor"), access: "ro", lasts: "session" },
      { root: path("/work/vendor/own"), access: "rw", lasts: "session" },
    ] as const;
    const rules = [rule({ capability: "fs_write", effect: "allow", match: ["/work/**"] })];
    expect(judge(intents.write("/work/a"), { scopes }).settlement.kind).toBe("allow");
    expect(judge(intents.write("/work/vendor/a"), { scopes, rules }).settlement.kind).toBe("ask");
    expect(judge(intents.read("/work/vendor/a"), { scopes }).settlement.kind).toBe("allow");
    expect(judge(intents.write("/work/vendor/own/a"), { scopes }).settlement.kind).toBe("allow");
  });

  it("forgets a scope when it expires", () => {
    const scopes = [{ root: path("/data"), access: "rw", lasts: "session", expiresAt: new Date(1000) }] as const;
    expect(judge(intents.read("/data/a"), { scopes, now: new Date(999) }).settlement.kind).toBe("allow");
    expect(judge(intents.read("/data/a"), { scopes, now: new Date(1000) }).settlement.kind).toBe("ask");
  });
});

describe("a command in its own procfs", () => {
  it("asks for what the sandbox's procfs says of itself: this machine's links are not followed there", () => {
    const facts = fakeFacts({ broken: ["/proc/self", "/proc/net"] });
    for (const text of ["cat /proc/self/status", "cat /proc/net/tcp", "cat /proc/1/environ"])
      expect(judge(shell(text), { facts }).settlement.kind).toBe("ask");
  });

  it("refuses what leads out of it", () => {
    const facts = fakeFacts({ broken: ["/proc/self"] });
    for (const text of [
      "cat /proc/self/cwd/x",
      "cat /proc/self/root/etc/shadow",
      "cat /proc/self/fd/3",
      "cat /proc/self/*/x",
    ])
      expect(judge(shell(text), { facts }).settlement.kind).toBe("deny");
  });

  it("refuses to let the file service follow it", () => {
    const facts = fakeFacts({ broken: ["/proc/self"] });
    expect(() => judge(intents.read("/proc/self/status"), { facts })).toThrow();
  });
});
