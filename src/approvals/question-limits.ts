import type { AgentId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { PendingQuestion } from "./pending-question.ts";

/** How much may be put to people. */
export interface QuestionLimits {
  /** Requests of one agent that may wait at a time. */
  readonly perAgent: number;
  /** New questions of one agent within a minute; requests that share an open one are none. */
  readonly perMinute: number;
}

/** Keeps one agent from burying people, and the others' questions, under its own. */
export interface QuestionGuard {
  /** @throws Problem `resource_exhausted` where too many requests wait already. */
  checkWaiting(agent: AgentId, pending: Iterable<PendingQuestion>): void;
  /** Counts a new question. @throws Problem `resource_exhausted` where there were too many within the last minute. */
  countNew(agent: AgentId): void;
}

const mostWaiting = 1000;
const minuteMs = 60_000;
const mostAgents = 10_000;

/** Makes the guard. */
export function createQuestionGuard({ perAgent, perMinute }: QuestionLimits, clock: () => Date): QuestionGuard {
  const asked = new Map<AgentId, readonly number[]>();
  return {
    checkWaiting(agent, pending) {
      let own = 0;
      let all = 0;
      for (const { asked: question, waiting } of pending) {
        all += waiting;
        if (question.subject.agent === agent) own += waiting;
      }
      if (own >= perAgent)
        throw new Problem("resource_exhausted", `${perAgent} requests of ${agent} wait for a person already`);
      if (all >= mostWaiting)
        throw new Problem("resource_exhausted", `${mostWaiting} requests wait for a person already`);
    },
    countNew(agent) {
      const now = clock().getTime();
      const recent = (asked.get(agent) ?? []).filter((at) => at > now - minuteMs && at <= now);
      if (recent.length >= perMinute)
        throw new Problem("resource_exhausted", `${agent} asked ${perMinute} questions within a minute: wait`);
      if (asked.size >= mostAgents) asked.clear();
      asked.set(agent, [...recent, now]);
    },
  };
}
