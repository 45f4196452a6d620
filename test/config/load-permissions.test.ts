import { describe, expect, it } from "vitest";
import { ConfigProblem } from "../../src/config/config-fault.ts";
import { type FileSource, loadPermissions } from "../../src/config/load-permissions.ts";
import { hashBytes } from "../../src/config/read-config-file.ts";
import { path } from "./files.ts";

const world = { home: path("/home/u"), workspace: path("/w"), real: <T>(same: T) => same };

function load(text: string, source: FileSource = "user", file = "/c/permissions.yaml") {
  return loadPermissions({ file, text, hash: hashBytes(text) }, source, world);
}

function faults(text: string, source: FileSource = "user", file = "/c/permissions.yaml"): string[] {
  try {
    load(text, source, file);
  } catch (error) {
    if (error instanceof ConfigProblem) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("a permissions file", () => {
  it("may say methods, and names the place of one that there is not", () => {
    const text = (methods: string, capability = "sandbox_network") =>
      `rules:\n  - capability: ${capability}\n    effect: deny\n    match: api.test\n    methods: ${methods}\n`;
    expect(load(text("[POST, PUT]"))[0]).toMatchObject({ methods: ["POST", "PUT"] });
    expect(load(text("POST"))[0]).toMatchObject({ methods: ["POST"] });
    expect(new Set([text("POST"), text("PUT")].map((each) => load(each)[0]?.id)).size).toBe(2);
    expect(faults(text("[POST, PSOT]"))).toEqual([
      expect.stringContaining('permissions.yaml:5:21: rules[0].methods[1]: "PSOT" is no method that rules know'),
    ]);
    expect(faults(text("[]"))).toEqual([expect.stringContaining(":5:")]);
    expect(faults(text("post"))).toEqual([expect.stringContaining("in capitals: POST")]);
    expect(faults(text("POST", "shell"))).toEqual([expect.stringContaining("only rules of web_fetch")]);
  });

  it("reads the documented format", () => {
    const rules = load(`
rules:
  - capability: shell
    effect: allow
    match:
      - git *
      - npm *
  - capability: fs_read
    effect: allow
  - capability: fs_write
    effect: deny
    match: [".env", "secrets/**"]
    exclude: secrets/public
    because: no secrets
  - capability: all
    effect: ask
`);
    expect(
      rules.map(({ capability, match, exclude, effect, origin }) => ({ capability, match, exclude, effect, origin })),
    ).toEqual([
      { capability: "shell", match: ["git *", "npm *"], exclude: [], effect: "allow", origin: "/c/permissions.yaml:3" },
      { capability: "fs_read", match: ["/**"], exclude: [], effect: "allow", origin: "/c/permissions.yaml:8" },
      {
        capability: "fs_write",
        match: [".env", "secrets/**"],
        exclude: ["secrets/public"],
        effect: "deny",
        origin: "/c/permissions.yaml:10",
      },
      { capability: "all", match: ["*", "/**"], exclude: [], effect: "ask", origin: "/c/permissions.yaml:15" },
    ]);
    expect(new Set(rules.map((rule) => rule.id)).size).toBe(4);
  });

  it("takes an empty file, a comment alone and empty rules for no rules", () => {
    for (const text of ["", "# nothing\n", "rules:\n", "rules: []\n"]) expect(load(text)).toEqual([]);
  });

  it("reads JSON for the machine's rules", () => {
    const text = `{"rules":[{"capability":"shell","match":"curl *","effect":"deny"}]}`;
    expect(load(text, "managed", "/etc/sallyport/permissions.json")[0]).toMatchObject({
      source: "managed",
      effect: "deny",
      match: ["curl *"],
    });
    expect(faults("rules: []", "managed", "/etc/sallyport/permissions.json")[0]).toContain("is not JSON");
  });

  it("gives equal rules different ids, and keeps the id of a rule when others come and go", () => {
    const one = "  - {capability: shell, effect: allow, match: ls *}\n";
    const other = "  - {capability: shell, effect: deny, match: rm *}\n";
    const alone = load(`rules:\n${one}`)[0]?.id;
    const ids = load(`rules:\n${other}${one}${one}`).map((rule) => rule.id);
    expect(ids[1]).toBe(alone);
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    [
      "rules:\n  - capability: shell\n    efect: allow\n",
      [
        "/c/permissions.yaml:2:5: rules[0].effect must be deny, ask or allow, not nothing",
        `/c/permissions.yaml:3:5: "efect" is not a key here; did you mean "effect"?`,
      ],
    ],
    [
      "rules:\n  - capability: shel\n    effect: allow\n",
      [
        `/c/permissions.yaml:2:17: rules[0].capability must be fs_read, fs_write, shell, web_fetch, web_search, mcp, subagent, skill, plugin, context, diagnostics, sandbox_network, all, builtin or filesystem, not "shel"; did you mean "shell"?`,
      ],
    ],
    [
      "rules:\n  - capability: shell\n    effect: alow\n",
      [`/c/permissions.yaml:3:13: rules[0].effect must be deny, ask or allow, not "alow"; did you mean "allow"?`],
    ],
    ["rule: []\n", [`/c/permissions.yaml:1:1: "rule" is not a key here; did you mean "rules"?`]],
    ["rules: yes\n", ["/c/permissions.yaml:1:8: rules: must be a list of rules"]],
    ["- 1\n", ["/c/permissions.yaml:1:1: the file: must hold the key rules"]],
    ["rules:\n  - shell\n", ["/c/permissions.yaml:2:5: rules[0]: must be a rule with capability and effect"]],
    [
      "rules:\n  - {capability: shell, effect: allow, match: []}\n",
      [
        "/c/permissions.yaml:2:47: rules[0].match: must be a pattern or a list of patterns; leave it out for everything",
      ],
    ],
    [
      "rules:\n  - {capability: shell, effect: allow, match: ['']}\n",
      ["/c/permissions.yaml:2:48: rules[0].match[0]: a pattern must not be empty"],
    ],
    [
      "rules:\n  - {capability: shell, effect: allow, match: [3]}\n",
      [
        "/c/permissions.yaml:2:47: rules[0].match: must be a pattern or a list of patterns; leave it out for everything",
      ],
    ],
  ])("refuses %j with place and nearest name", (text, expected) => {
    expect(faults(text).sort()).toEqual([...expected].sort());
  });

  it("refuses YAML faults with their place, and explains a pattern that starts with a star", () => {
    expect(faults("rules:\n  - capability: shell\n    effect: allow\n    match: [*.ts]\n")[0]).toMatch(
      /^\/c\/permissions\.yaml:4:13: .*must be quoted/,
    );
    expect(faults("rules:\n  - effect: allow\n    effect: deny\n")[0]).toMatch(/^\/c\/permissions\.yaml:3:5: /);
    expect(faults("rules: !!js/function 'x'\n")[0]).toMatch(/^\/c\/permissions\.yaml:1:8: /);
    expect(faults("a: 1\n---\nb: 2\n").length).toBeGreaterThan(0);
  });

  it("says where a text is no JSON, and where aliases are too many", () => {
    expect(faults('{"rules":[],}', "managed", "/etc/p.json")).toEqual([
      expect.stringMatching(/^\/etc\/p\.json:1:13: is not JSON/),
    ]);
    expect(faults("rules: []", "managed", "/etc/p.json")[0]).toMatch(/^\/etc\/p\.json:1:1: is not JSON/);
    const many = `rules:\n  - &r {capability: shell, effect: deny}\n${"  - *r\n".repeat(200)}`;
    expect(faults(many)[0]).toMatch(/:3:5: aliases stand for more than 100 values/);
  });

  it("refuses a pattern that ends with a line break, which would match nothing", () => {
    const text = "rules:\n  - capability: shell\n    effect: deny\n    match: |\n      git push\n";
    expect(faults(text)[0]).toMatch(/:4:12: .*must not end with a line break/);
  });

  it.each([
    ["rules:\n  - effect: allow\n    effect: deny\n", /:3:5: the key "effect" stands twice$/],
    ["rules: []\n'rules': []\n", /:2:1: the key "rules" stands twice$/],
    ["rules: []\n---\nrules: []\n", /:2:1: a second document starts here/],
    [`rules: ${"[".repeat(100_000)}`, /:1:72: is nested more than 64 deep$/],
    [`rules:\n  ${"- ".repeat(100_000)}`, /:2:\d+: is nested more than 64 deep$/],
    [`rules: ${"{a: ".repeat(3000)}${"}".repeat(3000)}`, /:1:\d+: is nested more than 64 deep$/],
    [`rules:\n${"  - {capability: shell, effect: deny}\n".repeat(20_001)}`, /:20002:16: holds more than 20000 rules$/],
    [`# x\r\nrules: [${`{"capability": mcp},`.repeat(20_001)}]`, /:2:\d+: holds more than 20000 rules$/],
    [`rules: []\n${"k".repeat(1000)}: 1\n`, /:2:1: "k{200}…" is not a key here; it may be rules$/],
    ["rules:\n  - {capability: fs_read, effect: deny, match: $TMPDIR/x}\n", /:2:48: .*only ~ and \$HOME/],
    ["rules:\n  - {capability: fs_read, effect: allow, match: ['**', '!x/**']}\n", /:2:56: .*exclude/],
    ["rules:\n  - {capability: fs_read, effect: deny, match: 'a/[z-a]'}\n", /:2:48: .*lower to the higher/],
    ["rules:\n  - {capability: shell, effect: deny, match: 'git push '}\n", /:2:46: .*begin or end with a blank/],
  ])("refuses early, at its place: %#", (text, expected) => {
    expect(faults(text)).toEqual([expect.stringMatching(expected)]);
  });

  it("reads as many rules as a file may hold, and the word capability where it is none", () => {
    const rule = '  - {capability: shell, effect: deny, match: ["capability", "capability x"]}\n';
    expect(load(`rules:\n${rule.repeat(11_000)}`)).toHaveLength(11_000);
  });

  it("refuses an alias bomb quickly", () => {
    const lines = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (let at = 1; at < 12; at += 1) {
      const name = String.fromCodePoint(97 + at);
      const before = String.fromCodePoint(96 + at);
      lines.push(`${name}: &${name} [*${before},*${before},*${before},*${before},*${before},*${before}]`);
    }
    expect(faults(lines.join("\n"))[0]).toContain("alias");
  });

  it("refuses an allow by a source that may not allow", () => {
    const text = "rules:\n  - capability: shell\n    effect: allow\n";
    expect(faults(text, "managed")).toEqual([
      "/c/permissions.yaml:3:13: rules[0].effect: a managed rule may deny or ask, not allow",
    ]);
    for (const source of ["user", "workspace", "agent"] as const) expect(faults(text, source)).toEqual([]);
  });

  it("checks examples at load", () => {
    const text = `rules:
  - capability: shell
    effect: allow
    match: git *
    examples:
      hits: [git status, git push origin main, gut]
      misses: [ls, git log]
  - capability: filesystem
    effect: deny
    match: [~/.ssh, "**/.env"]
    examples:
      hits: [~/.ssh/id_rsa, sub/.env]
      misses: [~/.sshx, .env.example]
  - capability: web_fetch
    effect: deny
    match: "*.evil.test"
    examples:
      hits: [a.evil.test, "https://b.evil.test/x"]
      misses: [evil.test]
`;
    expect(faults(text)).toEqual([
      `/c/permissions.yaml:6:48: rules[0].examples.hits[2]: the rule does not match "gut"`,
      `/c/permissions.yaml:7:20: rules[0].examples.misses[1]: the rule matches "git log"`,
    ]);
  });

  it.each([
    ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "at most 64 alternatives"],
    ["**/a/**/b/**/c/**/d/**/e/**/f/**/g/**/h/**/i", "at most 8 times"],
    ["a/".repeat(300), "at most 256 components"],
    ["x".repeat(5000), "at most 4096 characters"],
  ])("refuses the costly pattern %s", (pattern, reason) => {
    const text = `rules:\n  - {capability: fs_read, effect: deny, match: ${JSON.stringify(pattern)}}\n`;
    expect(faults(text)[0]).toContain(reason);
  });

  it("refuses two rules with the same id", () => {
    const text = "rules:\n  - {id: a, capability: shell, effect: deny}\n  - {id: a, capability: mcp, effect: deny}\n";
    expect(faults(text)).toEqual([`/c/permissions.yaml:3:10: "a" is the id of another rule`]);
  });
});
