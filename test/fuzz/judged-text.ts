import type { Judgement } from "../../src/model/gate-ports.ts";
import type { ExecIntent, ShellName } from "../../src/model/intent.ts";
import type { Rule } from "../../src/model/rule.ts";
import type { Session } from "../../src/model/session.ts";
import { createJudge } from "../../src/policy/judge.ts";
import { textFacts } from "../../src/policy/text-facts.ts";
import { path, shell, subject, workspaceScope } from "../policy/world.ts";

/** A text, what was decided about it, and what the decision cost in milliseconds of this process' time. */
export interface JudgedText {
  readonly judgement: Judgement<ExecIntent>;
  readonly cost: number;
}

/** Judges texts for an attended subject of the highest tier in mode `ask`, with the folders that a command needs, over a described world. */
export function textJudge(rules: readonly Rule[]): (text: string, name: ShellName) => JudgedText {
  const who = subject({ mode: "ask" });
  const session: Session = {
    subject: who,
    workspace: path("/work"),
    scopes: [workspaceScope],
    rules: [],
    image: undefined,
    limits: { memoryBytes: 0, cpus: 0, pids: 0, tmpBytes: 0 },
    openedAt: new Date(0),
    lastUsedAt: new Date(0),
    key: "fuzz",
  };
  const judge = createJudge({
    facts: textFacts({ home: path("/home/u") }),
    session: () => session,
    rules: () => rules,
    now: () => new Date(0),
    mounts: true,
  });
  return (text, name) => {
    const start = process.cpuUsage();
    const judgement = judge.judge(who, shell(text, { command: { kind: "shell", shell: name, text } }));
    const { user, system } = process.cpuUsage(start);
    return { judgement, cost: (user + system) / 1000 };
  };
}
