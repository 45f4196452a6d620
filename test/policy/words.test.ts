import { describe, expect, it } from "vitest";
import { explain } from "../../src/policy/explain.ts";
import { createNarrator } from "../../src/policy/narrator.ts";
import { settle } from "../../src/policy/settle.ts";
import { judged, opaque, run, touch } from "./effects.ts";
import type { Tier } from "../../src/model/subject.ts";
import { intents, rule, shell } from "./world.ts";

const narrator = createNarrator();

function drafts(...args: Parameters<typeof judged>) {
  const open = judged(...args).findings.filter((finding) => finding.verdict !== "allow");
  return narrator
    .drafts(open)
    .filter((draft) => draft.effect === "allow")
    .map((draft) => `${draft.effect} ${draft.capability} ${draft.match}`);
}

describe("drafts", () => {
  it.each([
    ["npm install lodash", "npm install lodash"],
    ["git push --force origin main", "git push --force origin main"],
    ["git commit -m 'x y'", "git commit *"],
    ["cargo test --all", "cargo test *"],
    ["grep -rn x src", "grep *"],
    ["bash -c ls", "bash -c ls"],
    ["find . -name *.ts", "find *"],
    ["find . -delete", "find . -delete"],
    ["sed -i s/a/b/ f", "sed -i *"],
    ["sed s/a/b/ f", "sed *"],
    ["git branch -a", "git branch -a"],
    ["git diff --output=x", "git diff --output=x"],
    ["git commit --amend -m x", "git commit --amend -m x"],
    ["git commit -m x", "git commit *"],
    ["[ -f a ]", "[ *"],
    ["sleep 5", "sleep *"],
    ["sort -o f f", "sort -o f f"],
    ["git branch -D x", "git branch -D x"],
    ["git stash drop x", "git stash drop x"],
    ["python3 -c 1", "python3 -c 1"],
    ["rm -rf build", "rm -rf build"],
    ["git log", "git log"],
    ["./grep x", "./grep x"],
  ])("%s proposes %s", (text, match) => {
    const [word = ""] = text.split(" ");
    expect(drafts([run(text, { program: word.replace(/^.*\//, "") })])).toEqual([`allow shell ${match}`]);
  });

  it("propose what Always deny would write as well", () => {
    const open = judged([run("npm install x")]).findings;
    expect(narrator.drafts(open)).toEqual([
      { capability: "shell", match: "npm install x", effect: "allow" },
      { capability: "shell", match: expect.stringMatching(/^npm install/) as string, effect: "deny" },
    ]);
  });

  it("propose one rule for each part, and none where one part cannot be settled by a rule", () => {
    expect(
      drafts([run("npm install x"), opaque("npm install x", "program"), touch("write", "/home/u/.npm/**", false)]),
    ).toEqual(["allow shell npm install x", "allow fs_write /home/u/.npm/**"]);
    expect(drafts([run("npm install x"), opaque("$X", "dynamic")])).toEqual([]);
    expect(drafts([run("echo $X", { dynamic: true })])).toEqual([]);
    expect(drafts([run("make a*b")])).toEqual([]);
  });

  it("propose no leave to delete anything in a granted folder", () => {
    expect(drafts([run("git clean -fd"), touch("delete", "/work/**", false)])).toEqual([]);
    expect(drafts([run("rm -r dist"), touch("delete", "/work/dist/**", false)])).toEqual([
      "allow shell rm -r dist",
      "allow fs_write /work/dist/**",
    ]);
  });

  it("settle the question that they were made for", () => {
    const effects = [
      run("npm install x"),
      opaque("npm install x", "program"),
      touch("delete", "/work/a[1]"),
      touch("write", "/etc/{a,b}/**", false),
    ];
    const open = judged(effects).findings;
    const drafted = narrator.drafts(open).filter((draft) => draft.effect === "allow");
    const rules = drafted.map((draft) => rule({ ...draft, match: [draft.match] }));
    expect(judged(effects, { rules }).verdict).toBe("allow");
  });

  it("keep every word of a command that hides something, so that the rule is not wider than the question", () => {
    expect(drafts([run("sort --compress-program=./x f"), opaque("sort --compress-program=./x f", "program")])).toEqual([
      "allow shell sort --compress-program=./x f",
    ]);
    expect(drafts([run("go test ./..."), opaque("go test ./...", "program")])).toEqual(["allow shell go test ./..."]);
  });

  it("need no rule for a host that the words do not name, beside the rule that names the program", () => {
    const reach = { kind: "reach", host: "*", port: 443, capability: "sandbox_network" } as const;
    expect(drafts([run("git push"), reach])).toEqual(["allow shell git push"]);
  });

  it("name a host, with its port where it is not the usual one", () => {
    expect(
      drafts([{ kind: "reach", host: "a.test", port: 443, capability: "web_fetch", url: "https://a.test/" }]),
    ).toEqual(["allow web_fetch a.test"]);
    expect(drafts([{ kind: "reach", host: "::1", port: 80, capability: "sandbox_network" }])).toEqual([
      "allow sandbox_network [::1]:80",
    ]);
    expect(drafts([{ kind: "reach", host: "*", port: 80, capability: "sandbox_network" }])).toEqual([]);
  });
});

describe("questions", () => {
  it.each([
    [shell("npm ci", { env: { A: "1" } }), "Run npm ci in /work, with A set"],
    [
      shell("", { command: { kind: "argv", argv: ["a b", "c"] }, background: true }),
      `Run ["a b","c"] in the background in /work`,
    ],
    [intents.read("/a"), "Read the file /a"],
    [intents.write("/a"), "Write the file /a"],
    [intents.stat("/a"), "Look at /a"],
    [intents.list("/a"), "List the folder /a"],
    [intents.fetch("https://a.test/"), "Fetch GET https://a.test/"],
    [intents.connect("a.test"), "Connect the sandbox to a.test:443"],
    [intents.use("mcp", "s/t"), "Use mcp s/t"],
  ] as const)("%o: %s", (intent, title) => {
    expect(narrator.title(intent)).toBe(title);
  });
});

describe("denials", () => {
  it("name effect, rule, source and what is missing", () => {
    const denied = judged([run("git push")], {
      rules: [
        rule({ id: "user.x", capability: "shell", effect: "deny", match: ["git push*"], because: "not from here" }),
      ],
    });
    expect(narrator.denial(denied, denied.findings[0], "stop")).toEqual({
      effect: "run git push",
      ruleId: "user.x",
      source: "user",
      because: "not from here",
      missing: "",
      next: "stop",
    });
    const asked = judged([run("git push")]);
    expect(narrator.denial(asked, undefined, "ask")).toMatchObject({
      ruleId: "default",
      missing: `allow shell "git push"`,
    });
    expect(narrator.denial({ verdict: "deny", findings: [] }, undefined, "x").because).toBe("nothing allows it");
  });
});

describe("explain", () => {
  it("prints the tree with rule, source, place and what would change it", () => {
    const rules = [
      rule({ id: "user.a", capability: "shell", effect: "allow", match: ["git *"], origin: "/c/p.yaml:3" }),
      rule({
        id: "managed.b",
        source: "managed",
        capability: "shell",
        effect: "deny",
        match: ["curl *"],
        origin: "/etc/p.yaml:9",
      }),
    ];
    const decision = judged(
      [run("git log"), run("make"), run("curl x"), touch("write", "/work/a"), opaque("$X", "dynamic")],
      { rules },
    );
    const settlement = settle(decision, { mode: "ask", attended: true });
    expect(explain(shell("git log; make; curl x > a"), { decision, settlement }, "ask")).toBe(
      `Run git log; make; curl x > a in /work: deny
├─ run git log: allow
│     because user rule user.a allows it
│     rule    user.a: allow shell "git *" (user, /c/p.yaml:3)
├─ run make: ask
│     because no rule allows this command
│     change  a rule: allow shell "make"
├─ run curl x: deny
│     because managed rule managed.b denies it
│     rule    managed.b: deny shell "curl *" (managed, /etc/p.yaml:9)
│     change  rule managed.b at /etc/p.yaml:9
├─ write /work/a: allow
│     because inside the granted folder /work
│     scope   /work (rw, always)
└─ unseen: $X: ask
      because cannot see into $X
      change  a person's answer, each time anew
It is refused. Reach the goal another way, or ask the owner of rule managed.b (/etc/p.yaml:9) to change it.`,
    );
  });

  it("says why a mode asks about what is allowed, and what spares the question", () => {
    const asked = (mode: "ask" | "supervised", ...effects: Parameters<typeof judged>[0]) => {
      const decision = judged(effects);
      const settlement = settle(decision, { mode, attended: true });
      return explain(shell("x"), { decision, settlement }, mode).split("\n");
    };
    expect(asked("ask", touch("read", "/work/b"), touch("write", "/work/a"))).toEqual([
      "Run x in /work: ask",
      "├─ read /work/b: allow",
      "│     because inside the granted folder /work",
      "│     scope   /work (rw, always)",
      "└─ write /work/a: allow",
      "      because inside the granted folder /work",
      "      scope   /work (rw, always)",
      "      asked   mode ask asks for every write that only the folder allows",
      '      change  a rule: allow fs_write "/work/a", or mode autopilot',
      "A person is asked about one part.",
    ]);
    expect(asked("supervised", touch("read", "/work/b"))).toContain("      change  another mode");
  });

  it("leads from a host that nobody knows, and from a command that hides something, to the rule that settles both", () => {
    const decision = judged([
      run("cargo test --all"),
      opaque("cargo test --all", "program"),
      { kind: "reach", host: "*", port: 443, capability: "sandbox_network" },
    ]);
    const settlement = settle(decision, { mode: "ask", attended: true });
    const changes = explain(shell("x"), { decision, settlement }, "ask").matchAll(/change {2}(.*)/g);
    expect([...changes].map(([, change]) => change)).toEqual([
      'a rule: allow shell "cargo test --all"',
      'a rule: allow shell "cargo test --all"',
      "the rule for the command that reaches it",
    ]);
    const refused = settle(decision, { mode: "ask", attended: false });
    expect(refused).toMatchObject({ next: 'Nobody can be asked here. Missing: allow shell "cargo test --all".' });
  });

  it("names all that would have to change where several deny", () => {
    const denial = { capability: "shell", effect: "deny", match: ["git *"] } as const;
    const rules = [
      rule({ ...denial, id: "user.a", origin: "/c/p.yaml:3" }),
      rule({ ...denial, id: "managed.b", source: "managed", origin: "/etc/p.yaml:9" }),
    ];
    const change = (tier: Tier): string | undefined => {
      const decision = judged([run("git push")], { rules, tier });
      const settlement = settle(decision, { mode: "ask", attended: true });
      return /change {2}(.*)/.exec(explain(shell("git push"), { decision, settlement }, "ask"))?.[1];
    };
    expect(change("full")).toBe("rule user.a at /c/p.yaml:3, and rule managed.b at /etc/p.yaml:9");
    expect(change("builder")).toMatch(/rule user\.a at .*, and rule managed\.b at .*/);
    expect(change("builder")).toContain("an agent of tier operator");
  });
});
