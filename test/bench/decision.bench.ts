import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { ExecIntent } from "../../src/model/intent.ts";
import { parseAgentId, parseSessionId } from "../../src/model/ids.ts";
import type { Rule } from "../../src/model/rule.ts";
import type { Session } from "../../src/model/session.ts";
import { parseChannel } from "../../src/model/subject.ts";
import { createJudge } from "../../src/policy/judge.ts";
import { textFacts } from "../../src/policy/text-facts.ts";
import { percentilesOf } from "./support/percentiles.ts";

// What one decision costs: analyse, decide and settle a command under 10, 1,000 and 10,000 rules. The goals: p99 under 0.3 ms for the short command under
// 1,000 rules, and 10,000 rules at most 1.5 times the cost of 10.
const workspace = parseAbsolutePath("/work");
const home = parseAbsolutePath("/home/u");
const agent = parseAgentId("bench");
const id = parseSessionId("bench");
const channel = parseChannel("bench");
if (!workspace || !home || !agent || !id || !channel) throw new Error("unusable names");
const subject = { agent, session: id, channel, role: "admin", tier: "full", mode: "ask", attended: true } as const;
const session: Session = {
  subject,
  workspace,
  scopes: [{ root: workspace, access: "rw", lasts: "session" }],
  rules: [],
  image: undefined,
  limits: { memoryBytes: 0, cpus: 0, pids: 0, tmpBytes: 0 },
  openedAt: new Date(0),
  lastUsedAt: new Date(0),
  key: "bench",
};

/** Rules of every common kind, about things that the command does not do, as most rules are. */
function rules(count: number): Rule[] {
  return Array.from({ length: count }, (_, at): Rule => {
    const effect = (["deny", "ask", "allow"] as const)[at % 3] ?? "deny";
    const base = { id: `user.${at}`, source: "user", exclude: [], effect } as const;
    if (at % 4 === 0) return { ...base, capability: "shell", match: [`tool${at} run *`] };
    if (at % 4 === 1) return { ...base, capability: "fs_read", match: [`/data/${at}/**`] };
    if (at % 4 === 2) return { ...base, capability: "fs_write", match: [`out/${at}`] };
    return { ...base, capability: "sandbox_network", match: [`host${at}.example.test`] };
  });
}

function command(text: string): ExecIntent {
  return {
    kind: "exec",
    command: { kind: "shell", shell: "bash", text },
    cwd: session.workspace,
    env: {},
    stdin: false,
    background: false,
    limits: { timeoutMs: 0, outputBytes: 0 },
  };
}

const short = "git status && npm test && grep -rn TODO src | head -n 20 | wc";
const lines: string[] = [];
while (lines.join("\n").length < 4096)
  lines.push(
    'for name in a b; do grep -n "x$name" src/*.ts | head -5; done',
    "git diff --stat HEAD~1 -- src/lib && echo done > out.log",
  );
const long = lines.slice(0, -1).join("\n");

const started = performance.now();
createJudge({
  facts: textFacts({ home }),
  session: () => session,
  rules: () => [],
  now: () => new Date(0),
  mounts: true,
}).judge(subject, command(short));
console.log(`first decision of the process: ${(performance.now() - started).toFixed(1)} ms\n`);

console.log(
  `${"".padEnd(28)}${"rules".padStart(8)}${"p50".padStart(12)}${"p99".padStart(12)}${"a second".padStart(12)}${"ratio".padStart(8)}`,
);
for (const [name, text, count] of [
  [`${short.length} characters`, short, 4000],
  [`script of ${long.length} characters`, long, 200],
] as const) {
  let first: number | undefined;
  for (const size of [10, 1000, 10_000]) {
    const list = rules(size);
    const judge = createJudge({
      facts: textFacts({ home }),
      session: () => session,
      rules: () => list,
      now: () => new Date(0),
      mounts: true,
    });
    const samples: number[] = [];
    for (let round = -count / 2; round < count; round += 1) {
      const start = performance.now();
      judge.judge(subject, command(text));
      if (round >= 0) samples.push(performance.now() - start);
    }
    const { p50, p99 } = percentilesOf(samples);
    first ??= p50;
    const cells = [`${p50.toFixed(3)} ms`, `${p99.toFixed(3)} ms`, Math.round(1000 / p50).toString()].map((cell) =>
      cell.padStart(12),
    );
    console.log(
      `${name.padEnd(28)}${String(size).padStart(8)}${cells.join("")}${(p50 / first).toFixed(2).padStart(8)}`,
    );
  }
}
