import type { Judge } from "../model/gate-ports.ts";
import { Problem } from "../model/problem.ts";
import type { Subject } from "../model/subject.ts";
import type { Agents } from "../sessions/agents.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { lowerTier, stricterMode } from "../sessions/widening.ts";

/** What is asked for what holds now. */
interface LivePorts {
  readonly sessions: Pick<Sessions, "inside">;
  readonly agents: Pick<Agents, "tierOf">;
}

/**
 * Judges with what the caller may do now, never with more than when he asked: a tier that was lowered, a token that was revoked or a mode that became stricter while a person was
 * asked counts when the request is judged again. @throws Problem `aborted` where the session is closed by now
 */
export function withLiveSubjects(judge: Judge, { sessions, agents }: LivePorts): Judge {
  return {
    judge(subject, intent) {
      const { mode } = liveSubject(sessions, subject);
      const live = {
        ...subject,
        tier: lowerTier(subject.tier, agents.tierOf(subject.agent)),
        mode: stricterMode(subject.mode, mode),
      };
      return judge.judge(live, intent);
    },
  };
}

/** Who asked was in a session when he did: that there is none now is no mistake of his. */
function liveSubject(sessions: LivePorts["sessions"], subject: Subject): Subject {
  try {
    return sessions.inside(subject.session, () => subject.tier).subject;
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.code !== "not_found") throw cause;
    throw new Problem("aborted", "the session was closed before it began", { field: "session_id", cause });
  }
}
