import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ChangeIntent } from "../../src/model/intent.ts";
import type { Rule } from "../../src/model/rule.ts";
import { strictest, type Verdict } from "../../src/model/verdict.ts";
import { fakeFacts, type FakeDisk, intents, judge, path, rule, shell } from "./world.ts";

const remove = (at: string, recursive = false): ChangeIntent => ({ kind: "remove", path: path(at), recursive });
const move = (from: string, to: string): ChangeIntent => ({
  kind: "move",
  from: path(from),
  to: path(to),
  overwrite: true,
});
const copy = (from: string, to: string, recursive = false): ChangeIntent => ({
  kind: "copy",
  from: path(from),
  to: path(to),
  overwrite: true,
  recursive,
});
const makeDirectory = (at: string, parents = false): ChangeIntent => ({
  kind: "make-directory",
  path: path(at),
  parents,
  mode: 0o755,
});
const edit = (at: string): ChangeIntent => ({ kind: "edit", path: path(at), change: "0".repeat(64) });
const restore = (original: string, to = original, folder = false): ChangeIntent => ({
  kind: "restore",
  id: "a",
  path: path(to),
  original: path(original),
  folder,
});

const disk: FakeDisk = {
  links: { "/work/out": "/etc", "/work/passwd": "/etc/passwd", "/work/in": "/work/src", "/work/up": "/" },
  files: ["/work/f", "/work/a.pem", "/work/src/a.ts", "/work/.env", "/etc/passwd"],
  missing: ["/work/new", "/work/new/x", "/work/src/new"],
};
const facts = fakeFacts(disk, ["/work/.state"]);
const rules = [
  rule({ capability: "shell", effect: "allow", match: ["*"] }),
  rule({ capability: "fs_write", effect: "allow", match: ["/work/**"] }),
  rule({ capability: "filesystem", effect: "deny", match: ["/work/secret", "/work/.env"] }),
  rule({ capability: "fs_read", effect: "deny", match: ["/work/*.pem"] }),
  rule({ capability: "fs_write", effect: "deny", match: ["/work/src/kept/**"] }),
  rule({ capability: "fs_write", effect: "ask", match: ["/work/careful/**"] }),
];

/** The verdict at the file door and at the shell door; the program's own run is allowed. */
function both(intent: ChangeIntent, text: string): { file: Verdict; shell: Verdict } {
  const file = judge(intent, { facts, rules }).decision.verdict;
  const { decision } = judge(shell(text), { facts, rules });
  return { file, shell: strictest(decision.findings.map(({ verdict }) => verdict)) };
}

describe("both doors", () => {
  it.each<[string, ChangeIntent, Verdict]>([
    ["rm /work/f", remove("/work/f"), "allow"],
    ["rm /work/.env", remove("/work/.env"), "deny"],
    ["rm /work/careful/x", remove("/work/careful/x"), "ask"],
    ["rm /etc/passwd", remove("/etc/passwd"), "ask"],
    ["rm /work/passwd", remove("/work/passwd"), "ask"],
    ["rm /work/out/passwd", remove("/work/out/passwd"), "ask"],
    ["rm /work/in/a.ts", remove("/work/in/a.ts"), "allow"],
    ["rm /work/in/kept/x", remove("/work/in/kept/x"), "deny"],
    ["rm /work/src/../.env", remove("/work/src/../.env"), "deny"],
    ["rm -r /work/lib", remove("/work/lib", true), "allow"],
    ["rm -r /work/src", remove("/work/src", true), "deny"],
    ["rm -r /work/in", remove("/work/in", true), "deny"],
    ["rm -r /work/secret/x", remove("/work/secret/x", true), "deny"],
    ["rm -r /work/careful", remove("/work/careful", true), "ask"],
    ["rm -rf /", remove("/", true), "deny"],
    ["rm -rf /work/up/etc", remove("/work/up/etc", true), "deny"],
    ["rm -rf /home/u", remove("/home/u", true), "deny"],
    ["rm -rf /work/../home/u/.", remove("/work/../home/u/.", true), "deny"],
    ["rm -rf /usr", remove("/usr", true), "deny"],
    ["rm -rf /home", remove("/home", true), "deny"],
    ["rm -r /work/.state", remove("/work/.state", true), "deny"],
    ["rm /work/.state/x", remove("/work/.state/x"), "deny"],
    ["mv -T /work/f /work/g", move("/work/f", "/work/g"), "allow"],
    ["mv -T /work/f /work/.env", move("/work/f", "/work/.env"), "deny"],
    ["mv -T /work/.env /work/g", move("/work/.env", "/work/g"), "deny"],
    ["mv -T /work/a.pem /work/g", move("/work/a.pem", "/work/g"), "deny"],
    ["cp -T /work/a.pem /work/g", copy("/work/a.pem", "/work/g"), "deny"],
    ["rm /work/a.pem", remove("/work/a.pem"), "allow"],
    ["mv -T /work/f /etc/g", move("/work/f", "/etc/g"), "ask"],
    ["mv -T /etc/passwd /work/g", move("/etc/passwd", "/work/g"), "ask"],
    ["mv -T /work/passwd /work/g", move("/work/passwd", "/work/g"), "ask"],
    ["mv -T /work/f /work/in/kept/f", move("/work/f", "/work/in/kept/f"), "deny"],
    ["mv -T /work/f /work/careful/f", move("/work/f", "/work/careful/f"), "ask"],
    ["mv -T /work/f /work/.state/f", move("/work/f", "/work/.state/f"), "deny"],
    ["cp -T /work/f /work/g", copy("/work/f", "/work/g"), "allow"],
    ["cp -T /work/f /work/passwd", copy("/work/f", "/work/passwd"), "ask"],
    ["cp -T /work/.env /work/g", copy("/work/.env", "/work/g"), "deny"],
    ["cp -T /work/passwd /work/g", copy("/work/passwd", "/work/g"), "ask"],
    ["cp -T /work/f /work/out/g", copy("/work/f", "/work/out/g"), "ask"],
    ["cp -T /work/f /work/secret", copy("/work/f", "/work/secret"), "deny"],
    ["cp -rT /work/lib /work/lib2", copy("/work/lib", "/work/lib2", true), "allow"],
    ["cp -rT /work/lib /work/src", copy("/work/lib", "/work/src", true), "deny"],
    ["cp -rT /work /work2", copy("/work", "/work2", true), "ask"],
    ["cp -rT /work/secret /work/lib2", copy("/work/secret", "/work/lib2", true), "deny"],
    ["mkdir /work/new", makeDirectory("/work/new"), "allow"],
    ["mkdir -p /work/new/x", makeDirectory("/work/new/x", true), "allow"],
    ["mkdir /work/secret/x", makeDirectory("/work/secret/x"), "deny"],
    ["mkdir -p /work/src/kept/x/y", makeDirectory("/work/src/kept/x/y", true), "deny"],
    ["mkdir /etc/x", makeDirectory("/etc/x"), "ask"],
    ["mkdir /work/out/x", makeDirectory("/work/out/x"), "ask"],
    ["mkdir /work/.state/x", makeDirectory("/work/.state/x"), "deny"],
  ])("give the same verdict for %s", (text, intent, verdict) => {
    expect(both(intent, text)).toEqual({ file: verdict, shell: verdict });
  });
});

describe("a link in a folder that links lead to", () => {
  // The kernel follows the folder's link and, for these, not the last one: what goes or comes is the link in `kept` itself.
  const linked = fakeFacts({
    links: { "/work/s": "/work/src", "/work/src/kept/l": "/work/f", "/work/src/seen/l": "/work/f" },
    files: ["/work/f"],
    missing: ["/work/g"],
  });
  const open = [
    rule({ capability: "shell", effect: "allow", match: ["*"] }),
    rule({ capability: "filesystem", effect: "allow", match: ["/**"] }),
    rule({ capability: "fs_write", effect: "deny", match: ["/work/src/kept/**"] }),
    rule({ capability: "fs_read", effect: "deny", match: ["/work/src/seen/**"] }),
  ];
  const verdictOf = (intent: Parameters<typeof judge>[0]) =>
    judge(intent, { facts: linked, rules: open }).decision.verdict;

  it.each<[string, ChangeIntent]>([
    ["rm s/kept/l", remove("/work/s/kept/l")],
    ["unlink s/kept/l", remove("/work/s/kept/l")],
    ["rm -r s/kept/l", remove("/work/s/kept/l", true)],
    ["mv -T s/kept/l g", move("/work/s/kept/l", "/work/g")],
    ["mv -T f s/kept/l", move("/work/f", "/work/s/kept/l")],
    ["cp -T f s/kept/l", copy("/work/f", "/work/s/kept/l")],
    ["cp -T s/seen/l g", copy("/work/s/seen/l", "/work/g")],
  ])("is judged at its own place by both doors: %s", (text, intent) => {
    expect([verdictOf(intent), verdictOf(shell(text))]).toEqual(["deny", "deny"]);
  });

  it.each([
    "ln -sfn x s/kept/l",
    "cp -P f s/kept/l",
    "echo > s/kept/l",
    "cp -P s/seen/l g",
    "cat s/seen/l",
    "rm s/../s/kept/l",
  ])("is judged at its own place by the shell: %s", (text) => {
    expect(verdictOf(shell(text))).toBe("deny");
  });

  it("is judged at its own place by reads and writes of the file service", () => {
    expect(verdictOf(intents.read("/work/s/seen/l"))).toBe("deny");
    expect(verdictOf(intents.write("/work/s/kept/l"))).toBe("deny");
    expect(verdictOf(intents.read("/work/s/kept/l"))).toBe("allow");
  });

  it("is named once where no link leads to its folder", () => {
    const { decision } = judge(shell("rm src/kept/l"), { facts: linked, rules: open });
    const touched = decision.findings.flatMap(({ effect }) => (effect.kind === "delete" ? [effect] : []));
    expect(touched).toEqual([{ kind: "delete", path: "/work/f", exact: true, spelled: "/work/src/kept/l" }]);
    expect(decision.verdict).toBe("deny");
  });
});

describe("the corpus of exact reads and writes", () => {
  interface Case {
    readonly id: string;
    readonly cmd: string;
    readonly reads?: readonly string[];
    readonly writes?: readonly string[];
  }

  /** The change that a plain command is; undefined for every other command. */
  function changeOf(cmd: string): ChangeIntent | undefined {
    const [, program = "", options = "", names = ""] =
      /^(rm|unlink|mkdir|mv -T|cp -T|cp -r)((?: -(?:rf?|p|m 755|-))*)((?: [\w./~-]+)+)$/.exec(cmd) ?? [];
    const [first, second, ...more] = names
      .trim()
      .split(" ")
      .map((name) => path(name.startsWith("~") ? `/home/u${name.slice(1)}` : `/work/${name}`));
    if (first === undefined || more.length > 0 || program === "") return undefined;
    if (second === undefined)
      return program === "mkdir"
        ? makeDirectory(first, options.includes("-p"))
        : program === "rm" || program === "unlink"
          ? remove(first, options.includes("-r"))
          : undefined;
    return program === "mv -T" ? move(first, second) : copy(first, second, program === "cp -r");
  }

  const lines = readFileSync(new URL("../corpus/shell/writes.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const cases = lines.flatMap((line): (Case & { readonly intent: ChangeIntent })[] => {
    const each = JSON.parse(line) as Case;
    const intent = changeOf(each.cmd);
    return intent === undefined ? [] : [{ ...each, intent }];
  });

  it("has some of every kind", () => {
    expect([...new Set(cases.map(({ intent }) => intent.kind))].toSorted()).toEqual([
      "copy",
      "make-directory",
      "move",
      "remove",
    ]);
    expect(cases.length).toBeGreaterThan(8);
  });

  it.each(cases)("holds for both doors: $cmd", ({ cmd, intent, reads = [], writes = [] }) => {
    const bare = fakeFacts({
      files: ["/work/a"],
      missing: ["/work/a/b", "/work/a/b/c", ...(cmd.startsWith("mkdir") ? ["/work/a"] : [])],
    });
    const open = [
      rule({ capability: "shell", effect: "allow", match: ["*"] }),
      rule({ capability: "filesystem", effect: "allow", match: ["/**"] }),
    ];
    const verdicts = (more: readonly Rule[]) => {
      const setup = { facts: bare, rules: [...open, ...more] };
      return [judge(intent, setup), judge(shell(cmd), setup)].map(({ decision }) => decision.verdict);
    };
    expect(verdicts([])).toEqual(["allow", "allow"]);
    for (const effect of ["deny", "ask"] as const) {
      for (const match of writes)
        expect(verdicts([rule({ capability: "fs_write", effect, match: [match] })])).toEqual([effect, effect]);
      for (const match of reads)
        expect(verdicts([rule({ capability: "fs_read", effect, match: [match] })])).toEqual([effect, effect]);
    }
  });
});

describe("changes of files", () => {
  const open = [rule({ capability: "filesystem", effect: "allow", match: ["/**"] })];

  it("judges a link that is named itself at its own place, and where it leads", () => {
    const kept = [...open, rule({ capability: "fs_write", effect: "deny", match: ["/work/src/kept/l"] })];
    const linked = fakeFacts({ links: { "/work/in": "/work/src", "/work/src/kept/l": "/work/f" }, files: ["/work/f"] });
    const found = judge(remove("/work/in/kept/l"), { facts: linked, rules: kept });
    expect(found.settlement.kind).toBe("deny");
    expect(found.action).toMatchObject({ kind: "remove", path: "/work/src/kept/l" });
  });

  it("moves a folder with all it holds, and so asks what holds for what is in it", () => {
    const unread = [...open, rule({ capability: "fs_read", effect: "deny", match: ["/work/src/key.pem"] })];
    expect(judge(move("/work/src", "/work/b"), { facts, rules: unread }).settlement.kind).toBe("ask");
    const kept = [...open, rule({ capability: "fs_write", effect: "deny", match: ["/work/src/kept/**"] })];
    expect(judge(move("/work/src", "/work/b"), { facts, rules: kept }).settlement.kind).toBe("deny");
    expect(judge(move("/work/f", "/work/b"), { facts, rules: kept }).settlement.kind).toBe("allow");
  });

  it("never removes or renames a granted folder itself, nor a folder that holds one", () => {
    const scopes = [
      { root: path("/srv/work"), access: "rw", lasts: "always" },
      { root: path("/srv/work/sub"), access: "rw", lasts: "session" },
    ] as const;
    for (const intent of [
      remove("/srv/work", true),
      remove("/srv/work"),
      remove("/srv", true),
      remove("/srv/work/sub", true),
      move("/srv/work/sub", "/srv/work/b"),
      move("/srv", "/b"),
    ]) {
      const found = judge(intent, { rules: open, scopes, subject: { mode: "allow-all" } });
      expect(found.settlement.kind).toBe("deny");
      expect(found.decision.findings.flatMap((finding) => finding.rules.map(({ id }) => id))).toContain(
        "invariant.scope",
      );
    }
    expect(judge(remove("/srv/work/subs", true), { rules: open, scopes }).settlement.kind).toBe("allow");
  });

  it("does not move a home or the system away", () => {
    for (const from of ["/home/u", "/etc", "/home"]) {
      const found = judge(move(from, "/work/x"), { rules: open, subject: { mode: "allow-all" } });
      expect(found.settlement.kind).toBe("deny");
    }
  });

  it.each([
    remove("/work/.git/HEAD"),
    move("/work/f", "/work/.git/hooks/pre-commit"),
    copy("/work/f", "/work/CLAUDE.md"),
    makeDirectory("/work/.git/x"),
    edit("/work/.git/config"),
    restore("/work/.git/config"),
    move("/work/.gitignore", "/work/x"),
  ])("asks before $kind of what others obey, in every mode", (intent) => {
    for (const mode of ["autopilot", "allow-all"] as const)
      expect(judge(intent, { facts, rules: open, subject: { mode } }).settlement.kind).toBe("ask");
  });

  it("reads what it edits", () => {
    const unread = [...open, rule({ capability: "fs_read", effect: "deny", match: ["/work/f"] })];
    expect(judge(edit("/work/f"), { facts, rules: unread }).settlement.kind).toBe("deny");
    expect(judge(edit("/work/src/a.ts"), { facts, rules: unread }).settlement.kind).toBe("allow");
    expect(judge(edit("/work/passwd"), { facts }).action).toMatchObject({ path: "/etc/passwd" });
  });

  it("judges a return as a write, and elsewhere as a read of where it was, too", () => {
    const unread = [...open, rule({ capability: "fs_read", effect: "deny", match: ["/work/.env"] })];
    expect(judge(restore("/work/.env"), { facts, rules: unread }).settlement.kind).toBe("allow");
    expect(judge(restore("/work/.env", "/work/x"), { facts, rules: unread }).settlement.kind).toBe("deny");
    const kept = [...open, rule({ capability: "fs_write", effect: "deny", match: ["/work/lib/kept/**"] })];
    expect(judge(restore("/work/lib", "/work/lib", true), { facts, rules: kept }).settlement.kind).toBe("deny");
    expect(judge(restore("/work/lib"), { facts, rules: kept }).settlement.kind).toBe("allow");
  });

  it("judges the end of what lies in the trash as a removal of where it was", () => {
    const empty = (...paths: string[]): ChangeIntent => ({
      kind: "empty-trash",
      entries: paths.map((at) => ({ id: "a", path: path(at), folder: at.endsWith("d") })),
    });
    const kept = [...open, rule({ capability: "fs_write", effect: "deny", match: ["/work/lib/kept/**"] })];
    const verdict = (...paths: string[]) => judge(empty(...paths), { facts, rules: kept }).settlement.kind;
    expect(verdict("/work/a", "/work/b")).toBe("allow");
    expect(verdict("/work/a", "/work/lib/kept/x")).toBe("deny");
    expect(verdict("/work/lib/kept/old")).toBe("deny");
    expect(judge(empty("/work/a"), { facts, rules: [] }).settlement.kind).toBe("ask");
    expect(judge(empty("/work/a"), { facts, rules: open, subject: { tier: "operator" } }).settlement.kind).toBe("deny");
  });

  it("keeps tiers: changing needs builder, removing and moving away full", () => {
    const verdictAt = (tier: "read-only" | "builder" | "operator", intent: ChangeIntent) =>
      judge(intent, { facts, rules: open, subject: { tier } }).settlement.kind;
    for (const intent of [edit("/work/f"), copy("/work/f", "/work/g"), makeDirectory("/work/new")]) {
      expect(verdictAt("read-only", intent)).toBe("deny");
      expect(verdictAt("builder", intent)).toBe("allow");
    }
    for (const intent of [remove("/work/f"), move("/work/f", "/work/g")])
      expect(verdictAt("operator", intent)).toBe("deny");
  });

  it("judges the folders on the way that are missing, and those only", () => {
    const found = judge(makeDirectory("/work/new/x", true), { facts });
    expect(found.decision.findings.map(({ effect }) => effect)).toEqual([
      { kind: "write", path: "/work/new/x", exact: true },
      { kind: "write", path: "/work/new", exact: true },
    ]);
  });
});
