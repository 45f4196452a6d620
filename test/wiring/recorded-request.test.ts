import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { entryBody } from "../../src/audit/entry-body.ts";
import { resolvePath, rootPath } from "../../src/model/absolute-path.ts";
import type { Judgement } from "../../src/model/gate-ports.ts";
import { parseAgentId, parseSessionId } from "../../src/model/ids.ts";
import type { ExecIntent, Intent, ShellName } from "../../src/model/intent.ts";
import type { Rule } from "../../src/model/rule.ts";
import { parseChannel, type Tier } from "../../src/model/subject.ts";
import { judgeOffline } from "../../src/policy/offline-judge.ts";
import { redecide } from "../../src/policy/redecide.ts";
import { indexRules } from "../../src/policy/rules/rule-index.ts";
import { recordedRequest } from "../../src/wiring/recorded-request.ts";

function sure<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a fixture is broken");
  return value;
}

const workspace = sure(resolvePath(rootPath, "work"));
const home = sure(resolvePath(rootPath, "home/u"));
const world = { home, workspace, real: (path: typeof home) => path };
const named = {
  agent: sure(parseAgentId("bot")),
  session: sure(parseSessionId("s")),
  channel: sure(parseChannel("socket")),
};

function exec(text: string, shell: ShellName = "bash"): ExecIntent {
  return {
    kind: "exec",
    command: { kind: "shell", shell, text },
    cwd: workspace,
    env: {},
    stdin: false,
    background: false,
    limits: { timeoutMs: 0, outputBytes: 0 },
  };
}

function judged(intent: Intent, tier: Tier, rules: readonly Rule[]): { judgement: Judgement; body: string } {
  const who = { mode: "ask", tier, attended: true } as const;
  const judgement = judgeOffline(intent, { ...who, home, workspace, rules });
  const body = entryBody({
    subject: { ...named, ...who, role: "admin" },
    intent,
    decision: judgement.decision,
    by: { kind: "rule" },
    verdict: "deny",
  });
  return { judgement, body: JSON.stringify(body) };
}

function again(body: string, rules: readonly Rule[]) {
  return redecide(sure(recordedRequest(body)), indexRules(rules, world), [
    { root: workspace, access: "rw", lasts: "session" },
  ]);
}

function rule(effect: Rule["effect"], capability: Rule["capability"], match: string): Rule {
  return { id: `user.${effect}.${match}`, source: "user", capability, match: [match], exclude: [], effect };
}

const some = [
  rule("deny", "shell", "git push*"),
  rule("allow", "shell", "npm *"),
  rule("ask", "fs_read", "*.env"),
  rule("allow", "fs_write", "/tmp/**"),
];

interface Row {
  readonly cmd: string;
  readonly shell: ShellName;
}

function corpus(name: string): Row[] {
  const file = new URL(`../corpus/shell/${name}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): Row => JSON.parse(line));
}

describe("a request read back from its record", () => {
  it.each(["blocked", "not_blocked", "readonly_ok", "readonly_traps", "undecidable", "writes"])(
    "is decided under the same rules as it was: %s",
    (name) => {
      const differing = corpus(name).flatMap(({ cmd, shell }) =>
        (["operator", "full"] as const).flatMap((tier) =>
          [[], some].flatMap((rules) => {
            const { judgement, body } = judged(exec(cmd, shell), tier, rules);
            const { decision, settlement } = again(body, rules);
            const same =
              settlement.kind === judgement.settlement.kind &&
              decision.findings.map(({ verdict }) => verdict).join() ===
                judgement.decision.findings.map(({ verdict }) => verdict).join();
            return same ? [] : [`${tier} ${rules.length} ${cmd}`];
          }),
        ),
      );
      expect(differing).toEqual([]);
    },
  );

  it("is decided anew under other rules", () => {
    const { body, judgement } = judged(exec("git fetch"), "full", []);
    expect(judgement.settlement.kind).toBe("ask");
    expect(again(body, [rule("deny", "shell", "git *")]).settlement.kind).toBe("deny");
    const { body: denied } = judged(exec("true; whoami"), "full", [rule("deny", "shell", "whoami")]);
    expect(again(denied, []).settlement.kind).toBe("allow");
  });

  it("stays denied where the blocklist or an invariant spoke, whatever the rules", () => {
    const everything = [rule("allow", "all", "*"), rule("allow", "filesystem", "/**")];
    for (const text of ["sudo id", "rm -rf ~", "true; env sudo id"])
      expect(again(judged(exec(text), "full", []).body, everything).settlement.kind).toBe("deny");
    const intent: Intent = { kind: "connect", host: "127.0.0.1", port: 80, via: "tunnel" };
    expect(again(judged(intent, "full", []).body, everything).settlement.kind).toBe("deny");
  });

  it("is not judged where its record was cut, or is none", () => {
    const { body } = judged(exec("whoami"), "full", []);
    expect(recordedRequest(body)).toBeDefined();
    const run = body.lastIndexOf('"text":"whoami"');
    for (const bad of [
      `${body.slice(0, run)}"text":"who…[3 characters more]"${body.slice(run + '"text":"whoami"'.length)}`,
      body.replace('"findings":[', '"findings":["[3 more]",'),
      body.replace('"mode":"ask"', '"mode":"anything"'),
      "{}",
      "not JSON",
    ])
      expect(recordedRequest(bad)).toBe(undefined);
  });
});
