import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Judgement } from "../model/gate-ports.ts";
import { parseAgentId, parseSessionId } from "../model/ids.ts";
import type { Intent } from "../model/intent.ts";
import type { Rule } from "../model/rule.ts";
import type { Scope } from "../model/scope.ts";
import type { Session } from "../model/session.ts";
import { type Mode, parseChannel, type Tier } from "../model/subject.ts";
import { createJudge } from "./judge.ts";
import { type DescribedWorld, textFacts } from "./text-facts.ts";

/** A situation that is described, not there: who asks, where, under which rules. */
export interface Situation extends DescribedWorld {
  /** The session's workspace, granted for reading and writing. */
  readonly workspace: AbsolutePath;
  readonly mode: Mode;
  readonly tier: Tier;
  readonly attended: boolean;
  readonly rules: readonly Rule[];
  /** Folders that are granted beside the workspace. */
  readonly scopes?: readonly Pick<Scope, "root" | "access">[];
}

/** Judges one intent in a described situation, by the same code that serves agents. @throws Problem as the judge does. */
export function judgeOffline(intent: Intent, situation: Situation): Judgement {
  const { workspace, mode, tier, attended, rules, scopes = [] } = situation;
  const agent = parseAgentId("offline");
  const id = parseSessionId("offline");
  const channel = parseChannel("offline");
  if (agent === undefined || id === undefined || channel === undefined) throw new Error("unusable names");
  const subject = { agent, session: id, channel, role: "admin", tier, mode, attended } as const;
  const session: Session = {
    subject,
    workspace,
    scopes: [{ root: workspace, access: "rw" as const }, ...scopes].map((scope) => ({ ...scope, lasts: "session" })),
    rules: [],
    image: undefined,
    limits: { memoryBytes: 0, cpus: 0, pids: 0, tmpBytes: 0 },
    openedAt: new Date(0),
    lastUsedAt: new Date(0),
    key: "offline",
  };
  const judge = createJudge({
    facts: textFacts(situation),
    session: () => session,
    rules: () => rules,
    now: () => new Date(0),
    mounts: false,
  });
  return judge.judge(subject, intent);
}
