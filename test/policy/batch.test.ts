import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { subjectKeys } from "../../src/config/case-subject.ts";
import { runBatch, runRulesTest } from "../../src/batch.ts";
import { hashBytes } from "../../src/config/read-config-file.ts";

async function batch(...lines: readonly (object | string | undefined)[]): Promise<unknown[]> {
  const out: unknown[] = [];
  await runBatch(
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))),
    (line) => out.push(JSON.parse(line)),
  );
  return out;
}

describe("check --batch", () => {
  it("gives one line for each line, in order, with verdict, blocked, effects and findings", async () => {
    expect(
      await batch({ cmd: "cat a.txt" }, { id: 7, cmd: "sudo id" }, { cmd: "echo x > /etc/motd", attended: false }),
    ).toEqual([
      {
        verdict: "allow",
        decided: "allow",
        blocked: false,
        effects: [
          { kind: "run", program: "cat", text: "cat a.txt", exact: true },
          { kind: "read", path: "/work/a.txt", exact: true },
        ],
        findings: [
          { effect: "run cat a.txt", verdict: "allow", rules: [], because: "a command that only reads", firm: false },
          {
            effect: "read /work/a.txt",
            verdict: "allow",
            rules: [],
            because: "inside the granted folder /work",
            firm: false,
          },
        ],
      },
      expect.objectContaining({
        id: 7,
        verdict: "deny",
        decided: "deny",
        blocked: true,
        findings: expect.arrayContaining([expect.objectContaining({ rules: ["blocklist.sudo"], firm: true })]),
      }),
      expect.objectContaining({
        verdict: "deny",
        decided: "ask",
        blocked: false,
        next: expect.stringContaining(`allow fs_write "/etc/motd"`),
      }),
    ]);
  });

  it("obeys cwd, home, mode, tier, attended and rules", async () => {
    const out = await batch(
      { cmd: "rm -rf ~", home: "/srv/me" },
      { cmd: "cat ../x", cwd: "/srv/app" },
      { cmd: "make", mode: "allow-all" },
      { cmd: "ls", tier: "read-only" },
      { cmd: "git push", rules: [{ capability: "shell", match: "git *", effect: "allow" }], mode: "autopilot" },
      {
        cmd: "git push",
        rules: [{ capability: "shell", match: ["git *"], effect: "deny", source: "managed", id: "no" }],
      },
      { cmd: "ls", mode: "supervised" },
    );
    expect(out.map((line) => Reflect.get(Object(line), "verdict"))).toEqual([
      "deny",
      "ask",
      "allow",
      "deny",
      "allow",
      "deny",
      "ask",
    ]);
    expect(out[5]).toMatchObject({ findings: expect.arrayContaining([expect.objectContaining({ rules: ["no"] })]) });
  });

  it.each([
    ["{", "", /^not JSON/],
    ["[]", "", /must be an object with the key cmd/],
    ["{}", "", /exactly one of cmd, argv, read, stat, /],
    [`{"cmd":"ls","argv":["ls"]}`, "", /exactly one of/],
    [`{"argv":[]}`, "argv[0]", /must be a text/],
    [`{"move":"/work/a"}`, "move", /must hold from and to/],
    [`{"move":{"from":"/work/a","too":"/b"}}`, "move.to", /must be a text/],
    [`{"read":"/work/a","recursive":true}`, "recursive", /goes with remove, copy, restore only/],
    [`{"argv":["ls"],"shell":"cmd"}`, "shell", /goes with cmd only/],
    [`{"cmd":"ls","scopes":[{"root":"/data","access":"r"}]}`, "scopes[0].access", /must be ro or rw/],
    [`{"cmd":""}`, "cmd", /must not be empty/],
    [`{"cmd":"ls","mod":"ask"}`, "mod", /did you mean "mode"/],
    [`{"cmd":"ls","mode":"yolo"}`, "mode", /must be supervised, ask, autopilot or allow-all/],
    [`{"cmd":"ls","tier":1}`, "tier", /must be read-only, builder, operator or full/],
    [`{"cmd":"ls","attended":"yes"}`, "attended", /must be true or false/],
    [`{"cmd":"ls","cwd":"work"}`, "cwd", /must be an absolute path/],
    [`{"cmd":"ls","shell":"fish"}`, "shell", /must be bash, powershell or cmd/],
    [
      `{"cmd":"ls","rules":[{"capability":"shell","effect":"allow","match":[""]}]}`,
      "rules[0].match[0]",
      /must not be empty/,
    ],
    [
      `{"cmd":"ls","rules":[{"capability":"shell","effect":"allow","source":"managed"}]}`,
      "rules[0].effect",
      /may deny or ask/,
    ],
    [`{"cmd":"sudo id","cmd":"ls"}`, "cmd", /stands twice/],
    [`{"cmd":"ls","\\u006dode":"ask","mode":"allow-all"}`, "mode", /stands twice/],
    [
      `{"rules":[{"capability":"fs_read","effect":"ask"},{"capability":"shell","effect":"deny","effect":"allow"}],"cmd":"ls"}`,
      "rules[1].effect",
      /stands twice/,
    ],
    [
      `{"cmd":"ls","rules":[{"id":"a","capability":"shell","effect":"deny"},{"id":"a","capability":"fs_read","effect":"deny"}]}`,
      "rules[1].id",
      /another rule/,
    ],
    [`{"fetch":"not a url"}`, "fetch", /^fetch: not an absolute address/],
    [`["ls"]`, "", /^the line: must be an object/],
    [`{"cmd":"ls","rules":[{"capability":"shell","effect":"deny","match":"git push "}]}`, "rules[0].match[0]", /blank/],
    [`{"cmd":"ls","rules":[{"capability":"shell","effect":"deny","match":" "}]}`, "rules[0].match[0]", /blank/],
    [
      `{"cmd":"ls","rules":[{"capability":"shell","effect":"allow","match":"!git push"}]}`,
      "rules[0].match[0]",
      /exclude/,
    ],
    [undefined, "", /^the line is not UTF-8/],
  ])("answers the malformed line %s with its number and field", async (line, field, message) => {
    expect(await batch({ cmd: "ls" }, "", line, { cmd: "ls" })).toEqual([
      expect.objectContaining({ verdict: "allow" }),
      { line: 3, field, error: expect.stringMatching(message) },
      expect.objectContaining({ verdict: "allow" }),
    ]);
  });

  it("takes keys that only look as if they stood twice", async () => {
    const line = `{"cmd":"echo {\\"cmd\\":1,\\"cmd\\":2}","rules":[{"effect":"deny","capability":"mcp"},{"effect":"deny","capability":"mcp"}],"mode":"ask"}`;
    expect(await batch(line)).toEqual([expect.objectContaining({ verdict: "ask" })]);
  });

  it("says the first of endless faults, and cuts endless keys", async () => {
    const rules = Array.from({ length: 500 }, () => ({ capability: "x" }));
    const [many, long] = await batch({ cmd: "ls", rules }, { cmd: "ls", ["k".repeat(100_000)]: 1 });
    expect(String(Reflect.get(Object(many), "error"))).toMatch(/; and \d+ more$/);
    expect(JSON.stringify(long).length).toBeLessThan(2000);
  });

  it("takes hostile text calmly", async () => {
    const out = await batch({ cmd: "\0\u202e$(((((" }, { cmd: "a;".repeat(40_000) }, { cmd: "$(".repeat(20_000) });
    expect(out.map((line) => Reflect.get(Object(line), "verdict"))).toEqual(["ask", "deny", "deny"]);
  });
});

const word = z.string().optional();
const shownEffects = z.object({
  effects: z.array(
    z.object({
      kind: z.string(),
      text: word,
      path: word,
      host: word,
      port: z.number().optional(),
      capability: word,
      name: word,
    }),
  ),
});

describe("the subjects of lines and cases", () => {
  it.each([
    [{ argv: ["rm", "-rf", "/"] }, "deny", ["run rm -rf /", "delete /**"]],
    [{ cmd: "Remove-Item a", shell: "powershell" }, "ask", ["run Remove-Item a", "delete /work/a"]],
    [{ read: "/data/a" }, "ask", ["read /data/a"]],
    [{ stat: "/data/a" }, "ask", ["read /data/a"]],
    [{ list: "/data" }, "ask", ["read /data"]],
    [{ search: "/work" }, "allow", ["read /work"]],
    [{ watch: "/data" }, "ask", ["read /data"]],
    [{ download: "/data" }, "ask", ["read /data"]],
    [{ write: "/work/a" }, "ask", ["write /work/a"]],
    [{ edit: "/work/a" }, "ask", ["read /work/a", "write /work/a"]],
    [{ upload: "/work/a" }, "ask", ["write /work/a"]],
    [{ remove: "/work/a" }, "ask", ["delete /work/a"]],
    [{ remove: "/home/u", recursive: true }, "deny", ["delete /home/u/**"]],
    [{ copy: { from: "/work/a", to: "/work/b" } }, "ask", ["read /work/a", "write /work/b"]],
    [{ copy: { from: "/work/a", to: "/work/b" }, recursive: true }, "ask", ["read /work/a/**", "write /work/b/**"]],
    [{ move: { from: "/work/a", to: "/data/b" } }, "ask", ["delete /work/a/**", "read /work/a/**", "write /data/b/**"]],
    [{ mkdir: "/work/a/b", parents: true }, "ask", ["write /work/a/b"]],
    [{ restore: { from: "/work/a", to: "/work/b" } }, "ask", ["write /work/b", "read /work/a"]],
    [{ empty_trash: ["/work/a"] }, "ask", ["delete /work/a/**"]],
    [{ fetch: "https://example.com/x", method: "POST" }, "ask", ["reach example.com:443"]],
    [{ connect: "example.com" }, "ask", ["reach example.com:443"]],
    [{ connect: "[2606:4700::1]:80" }, "ask", ["reach 2606:4700::1:80"]],
    [{ connect: "https://example.com/x", method: "POST" }, "ask", ["reach example.com:443"]],
    [{ web_search: "cats" }, "ask", ["use web_search cats"]],
    [{ mcp: "server/tool" }, "ask", ["use mcp server/tool"]],
    [{ subagent: "a" }, "ask", ["use subagent a"]],
    [{ skill: "a" }, "ask", ["use skill a"]],
    [{ plugin: "a" }, "ask", ["use plugin a"]],
    [{ context: "a" }, "ask", ["use context a"]],
    [{ diagnostics: "a" }, "ask", ["use diagnostics a"]],
  ])("%j: %s of %j", async (subject, verdict, effects) => {
    const [answer] = await batch(subject);
    const words = (line: unknown): unknown[] =>
      shownEffects
        .parse(line)
        .effects.map(({ kind, text, path, host, port = 0, capability, name }) =>
          [kind, text ?? path ?? (host === undefined ? undefined : `${host}:${port}`), capability, name]
            .filter((part) => part !== undefined)
            .join(" "),
        );
    expect(answer).toMatchObject({ verdict });
    expect(words(answer)).toEqual(effects);
  });

  it("are judged in the folders that are granted beside the workspace", async () => {
    const scopes = [
      { root: "/data", access: "rw" },
      { root: "/data/kept", access: "ro" },
    ];
    const out = await batch(
      ...["/data/a", "/data/kept/a", "/else/a"].flatMap((path) => [
        { read: path, mode: "autopilot", scopes },
        { write: path, mode: "allow-all", scopes },
        { cmd: `touch ${path}`, mode: "allow-all", scopes },
      ]),
    );
    const verdicts = out.map((line) => Reflect.get(Object(line), "verdict"));
    expect(verdicts).toEqual(["allow", "allow", "allow", "allow", "ask", "ask", "ask", "allow", "allow"]);
  });
});

describe("rules test", () => {
  function test(text: string) {
    const out: string[] = [];
    const counts = runRulesTest({ file: "t.yaml", text, hash: hashBytes(text) }, [], (line) => out.push(line));
    return { ...counts, out };
  }

  it("runs a table of cases against rules", () => {
    const { passed, failed, out } = test(`
rules:
  - { id: no-push, capability: shell, match: git push*, effect: deny }
  - { capability: fs_read, match: /data/secrets, effect: deny }
  - { capability: web_fetch, match: "*.example.test", effect: allow }
cases:
  - { cmd: git push -f, expect: deny, rule: no-push }
  - { cmd: sudo id, expect: deny, blocked: true }
  - { read: /data/secrets/a, expect: deny }
  - { write: /work/a, expect: ask }
  - { write: /work/a, mode: autopilot, expect: allow }
  - { fetch: "https://a.example.test/", expect: allow }
  - { connect: "a.example.test:443", expect: ask }
  - { mcp: server/tool, expect: ask }
  - { argv: [git, push], expect: deny, rule: no-push }
  - { move: { from: /data/secrets/a, to: /work/a }, expect: deny }
  - { copy: { from: /work/a, to: /else }, recursive: true, expect: ask }
  - { remove: /, recursive: true, expect: deny, blocked: true }
  - { name: wrong, cmd: git status, expect: deny }
  - { cmd: git push, expect: deny, rule: other }
  - { cmd: git push, expect: deny, blocked: true }
  - { fetch: "nothing", expect: deny }
`);
    expect([passed, failed]).toEqual([12, 4]);
    expect(out[0]).toBe("ok t.yaml:7 git push -f");
    expect(out[9]).toBe("ok t.yaml:16 /data/secrets/a -> /work/a");
    expect(out[12]).toMatch(/^not ok t\.yaml:19 wrong: expected deny, got allow: run git status: allow, /);
    expect(out[13]).toBe("not ok t.yaml:20 git push: expected rule other to speak, not no-push");
    expect(out[15]).toBe("not ok t.yaml:22 nothing: fetch: not an absolute address");
  });

  it("passes the example of the README, which names every subject", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, , example = ""] = /### Rules that are tested(.*?)```yaml\n(.*?)```/s.exec(readme) ?? [];
    const { passed, failed } = test(example);
    expect([passed > 10, failed]).toEqual([true, 0]);
    expect(subjectKeys.filter((key) => !new RegExp(`\\b${key}\\b`).test(example))).toEqual([]);
  });

  it("refuses a file that it cannot read, with its place", () => {
    expect(() => test("cases:\n  - { cmd: ls, expct: allow }\n")).toThrow(
      `t.yaml:2:16: "expct" is not a key here; did you mean "expect"?`,
    );
    expect(() => test("cases:\n  - { cmd: ls, read: /a, expect: allow }\n")).toThrow("exactly one of");
    expect(() => test("cases: []\n")).toThrow("must not be empty");
  });
});
