import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { ExecIntent } from "../../src/model/intent.ts";
import { parseAgentId, parseSessionId } from "../../src/model/ids.ts";
import type { Rule } from "../../src/model/rule.ts";
import type { Session } from "../../src/model/session.ts";
import { parseChannel } from "../../src/model/subject.ts";
import { createJudge } from "../../src/policy/judge.ts";
import { textFacts } from "../../src/policy/text-facts.ts";
import { longTexts } from "./support/long-texts.ts";
import { type Percentiles, percentilesOf } from "./support/percentiles.ts";

// What one decision costs: analyse, decide and settle a command under 10, 1,000 and 10,000 rules, and texts of 32 KB that are made to cost much. Every number is the median
// of several rounds in which all sizes take turns, so that a busy machine is equally busy for each.
const workspace = parseAbsolutePath("/work");
const home = parseAbsolutePath("/home/u");
const agent = parseAgentId("bench");
const id = parseSessionId("bench");
const channel = parseChannel("bench");
if (!workspace || !home || !agent || !id || !channel) throw new Error("unusable names");
const facts = textFacts({ home });
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
  facts,
  session: () => session,
  rules: () => [],
  now: () => new Date(0),
  mounts: true,
}).judge(subject, command(short));
console.log(`first decision of the process: ${(performance.now() - started).toFixed(1)} ms\n`);

const sizes = [10, 1000, 10_000];
const rounds = 9;

/** The middle one. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function judgeUnder(list: readonly Rule[]): (text: string) => void {
  const judge = createJudge({
    facts,
    session: () => session,
    rules: () => list,
    now: () => new Date(0),
    mounts: true,
  });
  return (text) => void judge.judge(subject, command(text));
}

/** Milliseconds of `count` decisions, each measured. */
function sample(decideText: (text: string) => void, text: string, count: number): Percentiles {
  const samples = Array.from({ length: count }, () => {
    const start = performance.now();
    decideText(text);
    return performance.now() - start;
  });
  return percentilesOf(samples);
}

const judges = sizes.map((size) => judgeUnder(rules(size)));
console.log(
  `${"".padEnd(28)}${"rules".padStart(8)}${"p50".padStart(12)}${"p99".padStart(12)}${"a second".padStart(12)}${"ratio".padStart(8)}`,
);
for (const [name, text, count, goal] of [
  [`${short.length} characters`, short, 2000, 0.3],
  [`script of ${long.length} characters`, long, 100, undefined],
] as const) {
  for (const decideText of judges) sample(decideText, text, count);
  const found = sizes.map((): Percentiles[] => []);
  for (let round = 0; round < rounds; round += 1)
    judges.forEach((decideText, at) => found[at]?.push(sample(decideText, text, count)));
  const first = median((found[0] ?? []).map(({ p50 }) => p50));
  sizes.forEach((size, at) => {
    const p50 = median((found[at] ?? []).map((each) => each.p50));
    const p99 = median((found[at] ?? []).map((each) => each.p99));
    const cells = [`${p50.toFixed(3)} ms`, `${p99.toFixed(3)} ms`, Math.round(1000 / p50).toString()];
    const goals = [
      ...(goal !== undefined && size === 1000 ? [`p99 goal ${goal} ms`] : []),
      ...(goal !== undefined && size === 10_000 ? ["ratio goal 1.5"] : []),
    ];
    console.log(
      `${name.padEnd(28)}${String(size).padStart(8)}${cells.map((cell) => cell.padStart(12)).join("")}${(p50 / first).toFixed(2).padStart(8)}   ${goals.join("")}`.trimEnd(),
    );
  });
}

console.log("\n32 KB of text, milliseconds of processor time, least of five; goal 50 ms");
const decideLong = judgeUnder(rules(1000));
for (const [name, text] of longTexts()) {
  const costs = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    decideLong(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  console.log(
    `${name.padEnd(36)}${Math.min(...costs)
      .toFixed(1)
      .padStart(8)} ms`,
  );
}
