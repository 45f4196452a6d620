import { describe, expect, it } from "vitest";
import { draftRules } from "../../src/policy/drafts.ts";
import { explain } from "../../src/policy/explain.ts";
import { questionTitle } from "../../src/policy/question-title.ts";
import type { Scope } from "../../src/model/scope.ts";
import { fakeFacts, type JudgeSetup, judge, path, rule, shell, workspaceScope } from "./world.ts";

const facts = fakeFacts({
  files: ["/o/f", "/o/g", "/home/u/notes", "/tmp/host.log", "/docs/a", "/srv/x"],
  missing: [
    "/o/new",
    "/o/deep/er",
    "/o/deep",
    "/home/u/new",
    "/tmp/new",
    "/tmp/a/b",
    "/tmp/a",
    "/o/f/x",
    "/gone/x",
    "/gone",
    "/home/u/.npm",
    "/home/u/.keep",
  ],
  links: { "/work/link": "/o", "/home/u/data": "/o", "/var/alias": "/usr" },
});

function run(text: string, setup: JudgeSetup = {}) {
  const judged = judge(shell(text), { facts, mounts: true, ...setup });
  const shown = judged.action.scopes
    .filter(({ root }) => !(setup.scopes ?? [workspaceScope]).some((scope) => scope.root === root))
    .map(({ root, access, lasts }) => `${root} ${access} ${lasts}`);
  const notes = judged.decision.findings
    .filter(({ effect }) => effect.kind !== "run" && effect.kind !== "opaque")
    .map(({ because }) => because);
  return { ...judged, shown, notes };
}

describe("what a person is asked to open for one command", () => {
  it.each([
    ["cat /o/f", "/o/f ro once", "/o/f will be mounted read-only"],
    ["cat < /o/f", "/o/f ro once", "/o/f will be mounted read-only"],
    ["cat link/f", "/o/f ro once", "/o/f will be mounted read-only"],
    ["ls /o", "/o ro once", "all of /o will be mounted read-only"],
    ["cat /o/*.txt", "/o ro once", "all of /o will be mounted read-only"],
    ["grep -r x /o", "/o ro once", "all of /o will be mounted read-only"],
    ["cat ~/notes", "/home/u/notes ro once", "/home/u/notes will be mounted read-only"],
    ["echo x >> /o/f", "/o/f rw once", "/o/f will be mounted writable"],
    ["echo x > /o/new", "/o rw once", "all of /o will be mounted writable"],
    ["mkdir -p /o/deep/er", "/o rw once", "all of /o will be mounted writable"],
    ["rm /o/f", "/o rw once", "all of /o will be mounted writable"],
    ["rm -r /o/sub", "/o rw once", "all of /o will be mounted writable"],
    ["rm -r /o/sub/*", "/o/sub rw once", "all of /o/sub will be mounted writable"],
    ["cat /tmp/host.log", "/tmp/host.log ro once", "/tmp/host.log will be mounted read-only"],
  ])("%s", (text, shown, note) => {
    const found = run(text);
    expect(found.settlement.kind).toBe("ask");
    expect(found.shown).toEqual([shown]);
    expect(found.notes.some((because) => because.endsWith(`; ${note}`))).toBe(true);
  });

  it.each([
    ["cat /o/f /o/g", ["/o/f ro once", "/o/g ro once"]],
    ["cat /o/f; echo x >> /o/f", ["/o/f rw once"]],
    ["cat /o/f > /o/new", ["/o rw once"]],
    ["ls /o; echo x >> /o/f", ["/o ro once", "/o/f rw once"]],
    ["cp a /o/f", ["/o/f rw once"]],
  ])("%s shows each place once, writable where one part writes", (text, shown) => {
    expect(run(text).shown).toEqual(shown);
  });

  it("is the folder in which a command runs, by its real path", () => {
    const { action, decision, shown } = ((cwd: string) => {
      const judged = judge(shell("ls", { cwd: path(cwd) }), { facts, mounts: true });
      return { ...judged, shown: judged.action.scopes.slice(1) };
    })("/home/u/data");
    expect(action.cwd).toBe("/o");
    expect(decision.verdict).toBe("ask");
    expect(shown).toEqual([{ root: "/o", access: "ro", lasts: "once" }]);
  });
});

describe("what programs outside obey is kept read-only, and released for the command that a person allows", () => {
  it.each([
    ["echo x > .husky/pre-commit", "/work/.husky"],
    ["echo x > .git/hooks/pre-commit", "/work/.git/hooks"],
    ["echo x >> .git/config", "/work/.git/config"],
    ["echo x > .git/modules/libs/sub/hooks/update", "/work/.git/modules/libs/sub/hooks"],
    ["echo x > .git/commondir", "/work/.git/commondir"],
    ["echo x > sub/.envrc", "/work/sub/.envrc"],
    ["rm .vscode/tasks.json", "/work/.vscode"],
    ["rm -r .idea", "/work/.idea"],
    ["cp a .claude/settings.local.json", "/work/.claude"],
  ])("%s", (text, root) => {
    const found = run(text);
    expect(found.settlement.kind).toBe("ask");
    expect(found.shown).toEqual([`${root} rw once`]);
    expect(found.notes.some((because) => because.endsWith(`; ${root} will be writable for this command`))).toBe(true);
  });

  it.each(["cat .husky/pre-commit", "git commit -m x", "git checkout main", "git fetch", "echo x > a"])(
    "%s releases nothing",
    (text) => expect(run(text).shown).toEqual([]),
  );

  it("is looked for below the granted folder only", () => {
    const root = path("/home/u/.claude/trees/a");
    const scopes: Scope[] = [{ root, access: "rw", lasts: "session" }];
    const judged = judge(shell("echo x > b/.husky/c; echo x > d", { cwd: root }), {
      facts,
      mounts: true,
      scopes,
    });
    expect(judged.action.scopes.slice(1).map(({ root }) => root)).toEqual(["/home/u/.claude/trees/a/b/.husky"]);
  });
});

describe("what is never opened", () => {
  it.each([
    "ls /",
    "ls ..",
    "ls /home",
    "ls ~",
    "find / -name x",
    "ls /tmp",
    "ls /srv",
    "cat /etc/passwd",
    "ls /usr/bin",
    "cat /proc/cpuinfo",
    "ls /sys /dev /run",
    "cat /var/run/docker.sock",
    "ls /var/lib/docker",
    "cat /var/alias/x",
    "cat /gone/x",
    "rm -f /o/new",
    "touch /tmp/new",
    "mkdir -p /tmp/a/b",
    "rm -r /tmp/host.log",
    "echo x > /etc/motd",
    "npm install",
  ])("%s means the sandbox's own", (text) => {
    const found = run(text);
    expect(found.settlement.kind).toBe("ask");
    expect(found.shown).toEqual([]);
  });

  it.each([
    ["touch ~/new", "/home/u would have to be writable", "a whole home"],
    ["cp -r a ~/.keep", "/home/u would have to be writable", "a whole home"],
    ["echo x > ~/.npm", "/home/u would have to be writable", "a whole home"],
    ["rm ~/notes", "/home/u would have to be writable", "a whole home"],
    ["chmod -R 700 ~", "/home/u would have to be writable", "a whole home"],
    ["rm /srv/x", "/srv would have to be writable", "far more"],
    ["echo x > /gone/x", "/ would have to be writable", "far more"],
    ["cat ~/data/f", "use /o/f instead of /home/u/data/f", "not there in the sandbox"],
  ])("%s is refused, with the reason", (text, ...reasons) => {
    const { settlement } = run(text, { subject: { mode: "allow-all" } });
    expect(settlement).toMatchObject({
      kind: "deny",
      finding: { firm: true, rules: [{ id: "mount.refused" }] },
      next: expect.stringContaining("grant the folder") as string,
    });
    for (const reason of reasons) expect(settlement.kind === "deny" && settlement.finding?.because).toContain(reason);
  });

  it("is what is granted, by a path that the sandbox does not have", () => {
    const linked = fakeFacts({ links: { "/home/u/proj": "/work" }, missing: ["/work/new"] });
    for (const text of ["cat ~/proj/a", "echo x > ~/proj/new", "ls ~/proj/src"])
      expect(run(text, { facts: linked }).settlement).toMatchObject({
        kind: "deny",
        finding: { because: expect.stringMatching(/: use \/work\/\w+ instead of \/home\/u\/proj\/\w+$/) as string },
      });
    const inside = judge(shell("ls; cat a", { cwd: path("/home/u/proj") }), { facts: linked, mounts: true });
    expect(inside.settlement.kind).toBe("allow");
  });

  it("holds a granted folder, and is no home behind a link", () => {
    const scopes: readonly Scope[] = [workspaceScope, { root: path("/o/sub/in"), access: "rw", lasts: "session" }];
    expect(run("ls /o/sub", { scopes }).shown).toEqual([]);
    expect(run("touch /o/new", { scopes }).settlement.kind).toBe("deny");
    const moved = fakeFacts({ links: { "/home/u": "/data/homes/u" } });
    expect(run("ls /data/homes/u", { facts: moved }).shown).toEqual([]);
  });

  it("is neither a folder nor a file", () => {
    const odd = {
      ...facts,
      locate: (at: ReturnType<typeof path>) => ({ real: at, kind: at === "/o/f" ? "other" : "folder" }) as const,
    };
    expect(run("cat /o/f", { facts: odd }).settlement.kind).toBe("deny");
  });

  it("is what nobody can look at, or what changed while it was judged", () => {
    let looks = 0;
    const turning = {
      ...facts,
      locate: (at: ReturnType<typeof path>) =>
        at === "/o/f" && (looks += 1) > 1 ? { real: path("/o/g"), kind: "file" as const } : facts.locate(at),
    };
    expect(run("cat /o/f", { facts: turning }).settlement).toMatchObject({
      kind: "deny",
      finding: { because: "a link leads elsewhere since /o/f was looked at" },
    });
  });

  it("may not be read", () => {
    const rules = [rule({ capability: "fs_read", effect: "deny", match: ["/o/f"] })];
    expect(run("echo x >> /o/f", { rules }).settlement).toMatchObject({
      kind: "deny",
      finding: { because: "/o/f must not be seen by a command" },
    });
    const own = fakeFacts({ files: ["/o/state/f"] }, ["/o/state"]);
    expect(run("cat /o/state/f", { facts: own }).settlement.kind).toBe("deny");
    expect(run("touch /o/state", { facts: own }).settlement.kind).toBe("deny");
  });

  it("is more than 32 places for one command", () => {
    const many = (count: number): string => `cat ${Array.from({ length: count }, (_, at) => `/o/${at}/f`).join(" ")}`;
    expect(run(many(32)).shown).toHaveLength(32);
    expect(run(many(33)).settlement.kind).toBe("deny");
  });

  it("is opened where the world is only described", () => {
    expect(run("cat /o/f", { mounts: false })).toMatchObject({ shown: [], settlement: { kind: "ask" } });
    expect(run("touch ~/new", { mounts: false }).settlement.kind).toBe("ask");
  });
});

describe("what a rule opens", () => {
  const allow = (...match: string[]) => [
    rule({ capability: "filesystem", effect: "allow", match }),
    rule({ capability: "shell", effect: "allow", match: ["*"] }),
  ];

  it.each([
    ["cat /o/f", ["/o/f"], "/o/f ro session"],
    ["cat /o/sub/f", ["/o"], "/o ro session"],
    ["cat /o/sub/f", ["/o/**"], "/o ro session"],
    ["cat /o/sub/f", ["/o/sub", "/o"], "/o ro session"],
    ["cat link/f", ["/work/link", "/home/u/data"], "/o ro session"],
    ["cat /o/f", ["/o/*"], "/o/f ro session"],
    ["ls /o/sub", ["/o/sub"], "/o/sub ro session"],
    ["cat /o/f", ["/**"], "/o/f ro session"],
    ["cat ~/notes", ["~"], "/home/u/notes ro session"],
    ["cat ~/notes", ["~/**"], "/home/u/notes ro session"],
    ["echo x > /o/new", ["/o"], "/o rw session"],
    ["echo x > /o/new", ["/**"], "/o rw session"],
    ["rm /o/f", ["/o"], "/o rw session"],
    ["cat /o/*.txt", ["/o/**"], "/o ro session"],
    ["cat /o/*.txt", ["/**"], "/o ro session"],
  ])("%s by %j", (text, match, shown) => {
    const found = run(text, { rules: allow(...match) });
    expect(found.settlement.kind).toBe("allow");
    expect(found.shown).toEqual([shown]);
  });

  it.each([
    ["rm /o/f", "/o/f"],
    ["echo x > /o/new", "/o/new"],
    ["cat /o/*.txt", "/o/*.txt"],
    ["cat /o/sub/*.txt", "/o/*/*.txt"],
    ["ls /o/sub", "/o/*"],
  ])("is asked for where %s needs more than %s", (text, match) => {
    const found = run(text, { rules: allow(match) });
    const [open] = found.settlement.kind === "ask" ? found.settlement.open : [];
    expect(open?.because).toMatch(/^all of \/o(\/sub)? will be mounted (writable|read-only), and no rule allows that$/);
    // What "always" would write is enough the next time.
    const drafts = draftRules(found.settlement.kind === "ask" ? found.settlement.open : [], "allow");
    expect(drafts).toHaveLength(1);
    const rules = [...allow(match), ...drafts.map((draft) => rule({ ...draft, match: [draft.match] }))];
    expect(run(text, { rules }).settlement.kind).toBe("allow");
  });

  it("is not more than the rule says: one with exceptions opens what is named", () => {
    const rules = [
      rule({ capability: "fs_read", effect: "allow", match: ["/o"], exclude: ["/o/secret"] }),
      rule({ capability: "fs_read", effect: "allow", match: ["/other"] }),
    ];
    expect(run("cat /o/f", { rules }).shown).toEqual(["/o/f ro session"]);
  });

  it("lasts no longer than the command where another part must be answered for", () => {
    const rules = [rule({ capability: "fs_read", effect: "allow", match: ["/o"] })];
    const found = run("cat /o/f /docs/a", { rules });
    expect(found.shown).toEqual(["/o ro session", "/docs/a ro once"]);
  });

  it("is opened for longer where the mode answers", () => {
    expect(run("cat /o/f", { subject: { mode: "allow-all" } }).shown).toEqual(["/o/f ro session"]);
  });

  it("does not open what a command only may touch", () => {
    const rules = [rule({ capability: "fs_read", effect: "ask", match: ["/o/f"] })];
    const found = run(`python3 -c 'open("/o/f")'`, { rules });
    expect(found.settlement.kind).toBe("ask");
    expect(found.shown).toEqual([]);
  });
});

describe("a folder that is granted for reading", () => {
  const docs = { root: path("/docs"), access: "ro", lasts: "session" } as const;
  const scopes: readonly Scope[] = [workspaceScope, docs, { ...docs, root: path("/work/vendor") }];
  const rules = [rule({ capability: "all", effect: "allow", match: ["*", "/**"] })];

  it("holds against rules and modes: only a person lifts it, for the file that is named", () => {
    for (const mode of ["autopilot", "allow-all"] as const) {
      const found = run("echo x >> /docs/a; echo x >> /work/vendor/f", { scopes, rules, subject: { mode } });
      expect(found.settlement.kind).toBe("ask");
      expect(found.shown).toEqual(["/docs/a rw once", "/work/vendor/f rw once"]);
    }
    expect(run("echo x >> /docs/a", { scopes, rules, subject: { attended: false } }).settlement.kind).toBe("deny");
  });

  it("is never made writable as a whole", () => {
    expect(run("rm /docs/a", { scopes, rules }).settlement).toMatchObject({
      kind: "deny",
      finding: { because: expect.stringContaining("it holds the granted folder /docs") as string },
    });
  });
});

describe("a folder that is granted and gone", () => {
  it("is left out, so that the others are still there, unless it keeps a part of another read-only", () => {
    const gone = { root: path("/gone"), access: "rw", lasts: "session" } as const;
    const kept = { root: path("/work/kept"), access: "ro", lasts: "session" } as const;
    const scopes: readonly Scope[] = [workspaceScope, gone, kept];
    const empty = fakeFacts({ missing: ["/gone", "/work/kept"] });
    const shown = judge(shell("ls"), { facts: empty, mounts: true, scopes }).action.scopes;
    expect(shown).toEqual([workspaceScope, kept]);
    expect(judge(shell("ls"), { facts, mounts: true, scopes: [workspaceScope, kept] }).action.scopes).toHaveLength(2);
  });
});

describe("a folder that is granted once", () => {
  const once = { root: path("/o"), access: "rw", lasts: "once" } as const;
  const scopes: readonly Scope[] = [workspaceScope, once];

  it.each([
    ["ls", undefined, []],
    ["cat /o/f", undefined, ["/o"]],
    ["cat /o/*", undefined, ["/o"]],
    ["ls", "/o/sub", ["/o"]],
  ])("is shown and spent by what uses it: %s in %s", (text, cwd, spends) => {
    const intent = shell(text, cwd === undefined ? {} : { cwd: path(cwd) });
    const judged = judge(intent, { facts, mounts: true, scopes });
    expect(judged.spends).toEqual(spends);
    expect(judged.action.scopes).toEqual([workspaceScope, ...(spends.length > 0 ? [once] : [])]);
  });

  it("is spent by a file call, too", () => {
    const read = (text: string) =>
      judge({ kind: "read", path: path(text), offset: 0, length: 0 }, { facts, mounts: true, scopes });
    expect(read("/o/f")).toMatchObject({ spends: ["/o"], settlement: { kind: "allow" } });
    expect(read("/work/a")).toMatchObject({ spends: [], settlement: { kind: "allow" } });
  });

  it("stays shown where it keeps a part of another folder read-only", () => {
    const narrow = { root: path("/work/vendor"), access: "ro", lasts: "once" } as const;
    const judged = judge(shell("ls"), { facts, mounts: true, scopes: [workspaceScope, narrow, once] });
    expect(judged).toMatchObject({ spends: [], action: { scopes: [workspaceScope, narrow] } });
  });
});

describe("what a person reads", () => {
  it("says what is mounted in the title, and what would change a refusal", () => {
    const asked = shell("cat /o/f; echo x >> /o/g", { env: { A: "1" } });
    const { action } = judge(asked, { facts, mounts: true });
    expect(questionTitle(asked, action)).toBe(
      "Run cat /o/f; echo x >> /o/g in /work, with A set, with /o/f mounted read-only for this command, with /o/g mounted writable for this command",
    );
    const refused = shell("touch ~/new");
    const text = explain(refused, judge(refused, { facts, mounts: true }), "ask");
    expect(text).toContain("change  a folder that holds it, granted to the session");
    const scopes = [workspaceScope, { ...workspaceScope, root: path("/o"), expiresAt: new Date(1e12) }];
    const read = shell("cat /o/f");
    expect(explain(read, judge(read, { facts, mounts: true, scopes }), "ask")).toContain(
      "scope   /o (rw, always, until 2001-09-09T01:46:40.000Z)",
    );
  });
});
