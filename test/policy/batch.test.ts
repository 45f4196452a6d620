import { describe, expect, it } from "vitest";
import { runBatch, runRulesTest } from "../../src/batch.ts";
import { hashBytes } from "../../src/config/read-config-file.ts";

async function batch(...lines: readonly (object | string)[]): Promise<unknown[]> {
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
    ["{}", "cmd", /cmd: must be a text/],
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
  ])("answers the malformed line %s with its number and field", async (line, field, message) => {
    expect(await batch({ cmd: "ls" }, "", line, { cmd: "ls" })).toEqual([
      expect.objectContaining({ verdict: "allow" }),
      { line: 3, field, error: expect.stringMatching(message) },
      expect.objectContaining({ verdict: "allow" }),
    ]);
  });

  it("takes hostile text calmly", async () => {
    const out = await batch({ cmd: "\0\u202e$(((((" }, { cmd: "a;".repeat(40_000) }, { cmd: "$(".repeat(20_000) });
    expect(out.map((line) => Reflect.get(Object(line), "verdict"))).toEqual(["ask", "deny", "deny"]);
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
  - { name: wrong, cmd: git status, expect: deny }
  - { cmd: git push, expect: deny, rule: other }
  - { cmd: git push, expect: deny, blocked: true }
  - { fetch: "nothing", expect: deny }
`);
    expect([passed, failed]).toEqual([8, 4]);
    expect(out[0]).toBe("ok t.yaml:7 git push -f");
    expect(out[8]).toMatch(/^not ok t\.yaml:15 wrong: expected deny, got allow: run git status: allow, /);
    expect(out[9]).toBe("not ok t.yaml:16 git push: expected rule other to speak, not no-push");
    expect(out[11]).toBe("not ok t.yaml:18 nothing: url: not an absolute address");
  });

  it("refuses a file that it cannot read, with its place", () => {
    expect(() => test("cases:\n  - { cmd: ls, expct: allow }\n")).toThrow(
      `t.yaml:2:16: "expct" is not a key here; did you mean "expect"?`,
    );
    expect(() => test("cases:\n  - { cmd: ls, read: /a, expect: allow }\n")).toThrow("exactly one of");
    expect(() => test("cases: []\n")).toThrow("must not be empty");
  });
});
