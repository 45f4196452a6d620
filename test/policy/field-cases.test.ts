import { describe, expect, it } from "vitest";
import type { Mode } from "../../src/model/subject.ts";
import { createNarrator } from "../../src/policy/narrator.ts";
import { fakeFacts, intents, judge, path, rule, shell } from "./world.ts";

type Setup = NonNullable<Parameters<typeof judge>[1]>;

/** How a text is settled, in autopilot unless said otherwise. */
function settled(text: string, setup: Setup = {}, mode: Mode = "autopilot"): string {
  return judge(shell(text), { ...setup, subject: { mode, ...setup.subject } }).settlement.kind;
}

function allow(...match: readonly string[]) {
  return rule({ capability: "shell", effect: "allow", match });
}

/** What "always allow" would write for a text, as rules. */
function always(text: string) {
  const { settlement } = judge(shell(text));
  const open = settlement.kind === "ask" ? settlement.open : [];
  return createNarrator()
    .drafts(open)
    .filter((draft) => draft.effect === "allow")
    .map((draft) => rule({ ...draft, match: [draft.match] }));
}

// The numbers are those of test/corpus/field-cases.md.
describe("cases from the field: commands", () => {
  it("1: an allowed echo does not carry an interpreter behind a pipe", () => {
    for (const text of ["echo hi | node", "echo hi | python3 -", "echo 1 | bc | sh"])
      expect(settled(text, { rules: [allow("echo *", "bc")] })).toBe("ask");
  });

  it("3: an allowed env is judged as the command inside", () => {
    for (const text of ["env sh -c 'touch /tmp/x'", "env touch /tmp/x", "env -i make"])
      expect(settled(text, { rules: [allow("env", "env *")] })).toBe("ask");
  });

  it("4, 5: always allow for one inline script is none for another", () => {
    for (const [first, second] of [
      ["sh -lc 'make A'", "sh -lc 'make B'"],
      ["busybox sh -c 'make A'", "busybox sh -c 'make B'"],
      ["bash -c 'make A && make C'", "bash -c 'make A; make B'"],
      ["python3 -c 'print(1)'", "python3 -c 'print(2)'"],
      ["node -e '1'", "node -e '2'"],
    ] as const) {
      const rules = always(first);
      for (const each of rules) expect(each.match[0]).not.toMatch(/^(bash|sh|busybox|python3|node).*\*/);
      expect(settled(second, { rules })).toBe("ask");
    }
  });

  it("7: a denied file stays denied in every form, each time", () => {
    const rules = [rule({ capability: "fs_read", effect: "deny", match: ["foo.txt"] }), allow("*")];
    for (const text of [
      "{ cat foo.txt; }",
      "cat <(ls) foo.txt",
      "cat < foo.txt",
      "cat ./sub/../foo.txt",
      "cat foo.t*",
      "x=foo.txt; cat $x",
      "cat $(echo foo.txt)",
      "(cd . && cat foo.txt)",
    ])
      for (let run = 0; run < 3; run += 1) {
        const kind = settled(text, { rules }, "allow-all");
        // What only running could tell asks; all the rest is denied.
        expect(kind, text).toBe(text.includes("$(") ? "ask" : "deny");
      }
  });

  it("8: an allowed first command does not carry a second", () => {
    for (const between of [" && ", "; ", " || ", " | ", "\n", " & ", " |& "])
      expect(settled(`git status${between}rm -rf /x`, { rules: [allow("git status")] }), between).toBe("ask");
  });

  it("9: an inner command is judged, or asks where it cannot be known", () => {
    for (const text of [
      "git status $(rm x)",
      "git status `rm x`",
      "(rm x)",
      "eval 'rm x'",
      'eval "$X"',
      'git log "$(curl example.test)"',
      "git log <(rm x)",
    ])
      expect(settled(text, { rules: [allow("git *", "eval *")] }), text).toBe("ask");
  });

  it("11, 12: options that write or run take the silence away", () => {
    for (const text of [
      "git diff --output=/tmp/x",
      "git -p log",
      "git -c core.pager=less log",
      "sed -n '1e id' f",
      "sed 'w /tmp/x' f",
      "sed -i s/a/b/ /etc/hosts",
    ])
      expect(settled(text, { rules: [] }), text).toBe("ask");
    for (const text of [
      "sed -n '1e id' f",
      "git -p log",
      "git -c core.pager=less log",
      "rg --pre ./x pat",
      "find . -exec make {} +",
      "find . -delete",
      "sort -o /etc/x f",
    ])
      expect(settled(text, { rules: [allow("sed *", "git *", "rg *", "find *", "sort *")] }), text).toBe("ask");
    for (const text of ["sed -n '1e id' f", "sed 'w /tmp/x' f", "sed -i s/a/b/ /etc/hosts"])
      expect(settled(text, { rules: [allow("*")] }), text).toBe("ask");
  });

  it("13: a compound command whose parts are all allowed runs without a prompt, each time", () => {
    const setup = { rules: [allow("cd *")] };
    for (let run = 0; run < 3; run += 1) expect(settled("cd sub && git status && ls", setup, "ask")).toBe("allow");
  });

  it("a denied subcommand stays denied behind options of the program", () => {
    const rules = [rule({ capability: "shell", effect: "deny", match: ["git push*", "kubectl delete *"] }), allow("*")];
    for (const text of [
      "git -C . push",
      "git --no-pager -c a=b push -f",
      "/usr/bin/git -C 'a b' push",
      "kubectl -n prod delete pod x",
      "env git --git-dir=x push",
    ])
      expect(settled(text, { rules }, "allow-all"), text).toBe("deny");
    for (const text of ["git -c push.default=simple commit", "git commit -m push", "git log push"])
      expect(settled(text, { rules }, "allow-all"), text).not.toBe("deny");
  });

  it("15: an argument may hold a newline", () => {
    const intent = shell("", { command: { kind: "argv", argv: ["cat", "a\nb"] } });
    const found = judge(intent);
    expect(found.settlement.kind).toBe("allow");
    expect(found.action.command).toEqual(intent.command);
    expect(settled("git commit -m 'one\ntwo'", { rules: [allow("git commit *")] })).toBe("allow");
  });

  it("16: text that cannot be parsed fails closed", () => {
    const rules = [rule({ capability: "shell", effect: "deny", match: ["rm *"] }), allow("*")];
    expect(settled('echo "unterminated', { rules }, "allow-all")).toBe("ask");
    expect(settled('echo "unterminated', { rules, subject: { attended: false } }, "allow-all")).toBe("deny");
    expect(settled("ls\nrm x\n)", { rules }, "allow-all")).toBe("deny");
  });

  it("17: a denied folder is closed whatever the program is called", () => {
    const rules = [
      rule({ capability: "filesystem", effect: "deny", match: ["/data/closed"] }),
      allow("*"),
      rule({ capability: "filesystem", effect: "allow", match: ["/data"] }),
    ];
    for (const text of [
      "head /data/closed/a",
      "ls /data/closed",
      "find /data/closed",
      "python3 -m venv /data/closed/v",
      "my-tool --in=/data/closed/a",
      "cp x /data/closed/",
      "tar cf - /data/closed",
      "ls -R /data/closed",
      "./x /data/closed",
      "cat </data/closed/a",
    ])
      expect(settled(text, { rules }, "allow-all"), text).toBe("deny");
  });

  it("a denied file does not make every look around a question, but what would show it asks or is denied", () => {
    const rules = [
      rule({ capability: "fs_read", effect: "deny", match: [".env", "closed"] }),
      allow("grep *", "tar *", "find *"),
    ];
    for (const text of [
      "git status",
      "git diff && git status",
      "git diff HEAD~1 -- src",
      "git log main..HEAD",
      "npm test",
      "cd sub && git status && ls",
      "ls -la",
    ])
      expect(settled(text, { rules }), text).toBe("allow");
    for (const text of [
      "ls -R",
      "ls --recursive",
      "grep -r x .",
      "find . -type f",
      "tar cf - .",
      "git status && grep -r x .",
    ])
      expect(settled(text, { rules }, "allow-all"), text).toBe("ask");
    for (const text of [
      "cat .env",
      "cat .e*",
      "ls closed",
      "ls -R closed",
      "cat <.env",
      "npm test; cat .env",
      "git diff -- .env",
      "git show HEAD:.env",
    ])
      expect(settled(text, { rules }, "allow-all"), text).toBe("deny");
  });

  it("everything is denied the same way by exec, read, list and stat", () => {
    const rules = [
      rule({ id: "user.no", capability: "fs_read", effect: "deny", match: ["/data/closed"], because: "closed" }),
    ];
    const denials = [
      shell("cat /data/closed/a"),
      intents.read("/data/closed/a"),
      intents.stat("/data/closed/a"),
      intents.list("/data/closed/a"),
    ].map((intent) => {
      const { decision } = judge(intent, { rules });
      return createNarrator().denial(decision, undefined, "stop");
    });
    expect(new Set(denials.map((denial) => JSON.stringify(denial))).size).toBe(1);
    expect(denials[0]).toMatchObject({
      effect: "read /data/closed/a",
      ruleId: "user.no",
      source: "user",
      because: "closed",
    });
  });
});

describe("cases from the field: files", () => {
  it("28: a link inside the folder leads outside", () => {
    const facts = fakeFacts({ links: { "/work/l": "/etc/passwd" } });
    expect(judge(intents.read("/work/l"), { facts }).settlement.kind).toBe("ask");
    expect(judge(intents.write("/work/l"), { facts, subject: { attended: false } }).settlement.kind).toBe("deny");
    for (const text of ["cat l", "echo x > l", "cp a l"])
      expect(judge(shell(text), { facts }).settlement.kind, text).toBe("ask");
  });

  it("31, 33: both spellings of a denied link are denied, also under an allowed folder", () => {
    const facts = fakeFacts({ links: { "/home/u/.zshrc": "/work/dotfiles/zshrc" } });
    const rules = [
      rule({ capability: "filesystem", effect: "deny", match: ["~/.zshrc"] }),
      rule({ capability: "filesystem", effect: "allow", match: ["/work"] }),
      allow("*"),
    ];
    for (const text of ["cat ~/.zshrc", "cat dotfiles/zshrc", "echo x >> ~/.zshrc", "rm dotfiles/zshrc"])
      expect(judge(shell(text), { facts, rules }).settlement.kind, text).toBe("deny");
  });

  it("32: brackets in a folder's name hold literally", () => {
    const scopes = [{ root: path("/project[1]"), access: "rw", lasts: "always" }] as const;
    const rules = [rule({ capability: "fs_read", effect: "deny", match: ["/project[1]/secret"] })];
    expect(judge(intents.read("/project[1]/secret/a"), { scopes, rules }).settlement.kind).toBe("deny");
    expect(judge(intents.read("/project[1]/open"), { scopes, rules }).settlement.kind).toBe("allow");
  });

  it("35: a command that writes what git runs asks in every mode", () => {
    for (const text of [
      "echo x > .git/config",
      "cp a .git/hooks/pre-commit",
      "tee .git/hooks/x < a",
      "mv a .husky/pre-push",
    ])
      expect(
        settled(
          text,
          { rules: [allow("*"), rule({ capability: "fs_write", effect: "allow", match: ["/**"] })] },
          "allow-all",
        ),
        text,
      ).toBe("ask");
  });
});

describe("the place and the environment of a command", () => {
  it("asks for a working folder outside the scopes, and refuses one that is not there", () => {
    expect(judge(shell("ls", { cwd: path("/srv") })).settlement.kind).toBe("ask");
    const facts = fakeFacts({ missing: ["/work/no"], files: ["/work/file"], links: { "/work/out": "/srv" } });
    expect(() => judge(shell("ls", { cwd: path("/work/no") }), { facts })).toThrow(
      expect.objectContaining({ code: "not_found", field: "cwd" }),
    );
    expect(() => judge(shell("ls", { cwd: path("/work/file") }), { facts })).toThrow(
      expect.objectContaining({ code: "invalid_argument", field: "cwd" }),
    );
    const linked = judge(shell("ls", { cwd: path("/work/out") }), { facts });
    expect(linked.settlement.kind).toBe("ask");
    expect(linked.action.cwd).toBe("/srv");
  });

  it.each(["PATH", "LD_PRELOAD", "GIT_DIR", "BASH_ENV", "NODE_OPTIONS", "PAGER", "HOME"])(
    "asks firmly where %s is set",
    (name) => {
      const found = judge(shell("ls", { env: { [name]: "/x" } }), {
        rules: [allow("*")],
        subject: { mode: "allow-all" },
      });
      expect(found.settlement.kind).toBe("ask");
      expect(JSON.stringify(found.decision)).not.toContain('"/x"');
    },
  );

  it("lets harmless variables be, and refuses names that are none", () => {
    expect(judge(shell("ls", { env: { CI: "1" } })).settlement.kind).toBe("allow");
    // Arithmetic would run it.
    expect(judge(shell("ls; (( X ))", { env: { X: "a[$(id)]" } })).settlement.kind).toBe("ask");
    for (const name of ["BASH_FUNC_ls%%", "a b", "", "A=B"])
      expect(() => judge(shell("ls", { env: { [name]: "() { rm x; }" } }))).toThrow(
        expect.objectContaining({ code: "invalid_argument", field: "env" }),
      );
  });

  it("does not take a variable of the environment for known in the text", () => {
    expect(settled("rm -rf $X")).toBe("ask");
    expect(judge(shell("rm -rf $X", { env: { X: "/" } })).settlement.kind).toBe("ask");
  });

  it("judges argv without a shell", () => {
    const argv = (...words: [string, ...string[]]) => shell("", { command: { kind: "argv", argv: words } });
    expect(judge(argv("ls", "-la")).settlement.kind).toBe("allow");
    expect(judge(argv("ls", "$(rm x)", ";", "rm")).settlement.kind).toBe("allow");
    expect(judge(argv("bash", "-c", "rm -rf /"), { subject: { mode: "allow-all" } }).settlement.kind).toBe("deny");
    expect(judge(argv("sudo", "id"), { subject: { mode: "allow-all" } }).settlement.kind).toBe("deny");
  });

  it("says what the address guard will say to a host that a command names, and leaves the sandbox's own loopback alone", () => {
    const facts = {
      ...fakeFacts(),
      internalHost: (host: string) => (/^(10|127|169)\.|^localhost$/.test(host) ? "not public" : undefined),
    };
    expect(
      judge(shell("curl http://169.254.169.254/latest"), { facts, subject: { mode: "allow-all" } }).settlement.kind,
    ).toBe("deny");
    expect(judge(shell("curl http://0xa.1/"), { facts, subject: { mode: "allow-all" } }).settlement.kind).toBe("deny");
    expect(judge(shell("curl http://localhost:3000/"), { facts, subject: { mode: "allow-all" } }).settlement.kind).toBe(
      "allow",
    );
    expect(judge(shell("curl http://localhost:3000/"), { facts }).settlement.kind).toBe("ask");
  });

  it("a command that does nothing asks", () => {
    expect(settled("# nothing")).toBe("ask");
    expect(settled("   ")).toBe("ask");
  });
});
