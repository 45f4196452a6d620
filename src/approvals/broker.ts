import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { By } from "../model/decision.ts";
import type { Answer, AnswerKind, Asker, Question } from "../model/gate-ports.ts";
import { parseQuestionId, type QuestionId, type SessionId } from "../model/ids.ts";
import { invalid, Problem } from "../model/problem.ts";
import type { Rule, RuleDraft } from "../model/rule.ts";
import type { Caller } from "../model/subject.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { ClosedQuestion, Closing, OpenQuestion, QuestionEvent } from "./open-question.ts";
import { PendingQuestion } from "./pending-question.ts";
import { draftsFor, present } from "./present.ts";
import { questionDigest } from "./question-digest.ts";
import { createQuestionStore } from "./question-store.ts";
import { createWatchers } from "./watchers.ts";

/** What the broker is made of. */
export interface ApprovalsOptions {
  /** `approvals.db` of the state folder. */
  readonly database: DatabaseSync;
  readonly redactor: Redactor;
  readonly clock: () => Date;
  /** Writes the rules of an "always" answer, all or none, before anybody is released. What it throws makes the answer fail. */
  readonly keep: (
    drafts: readonly RuleDraft[],
    by: By,
    question: Question,
  ) => readonly Rule[] | Promise<readonly Rule[]>;
  /** Told of what could not be stored but must not stop anything: the end of a question that nobody answered. */
  readonly onTrouble: (problem: Problem) => void;
  /** Milliseconds until silence is a denial; five minutes where not given. */
  readonly deadlineMs?: number;
  /** Requests of one agent that may wait at a time; 32 where not given. */
  readonly perAgent?: number;
}

/** The queue of questions to people. */
export interface Approvals extends Asker {
  /** Every open question as `opened`, the oldest first, then every change, until the signal aborts. */
  watch(signal: AbortSignal): AsyncGenerator<QuestionEvent>;
  /** The open ones, the oldest first. */
  list(): readonly OpenQuestion[];
  /** The last closed first; `limit` from 1 to 1000. */
  closed(limit: number): readonly ClosedQuestion[];
  /**
   * Answers once and returns the rules that were written. `message` is told to the caller on a denial; 1024 characters at most.
   * @throws Problem `permission_denied` for anybody but an admin, and for every agent's credential; `not_found`; `failed_precondition` where somebody else was
   * first, or no rule can be written; `unavailable` where the rule or the answer could not be stored: the question stays open then.
   */
  answer(id: QuestionId, kind: AnswerKind, caller: Caller, message?: string): Promise<readonly Rule[]>;
  /** Takes the questions of a session that ended off the queue and fails everybody who waits for them. */
  withdraw(session: SessionId): void;
  /** Fails everybody who waits. The questions count as lost at the next start. */
  stop(): void;
}

const usualDeadlineMs = 300_000;
const usualPerAgent = 32;
const mostWaiting = 1000;
const longestMessage = 1024;
const mostListed = 1000;

/** Makes the queue over its store. @throws the store's error. */
export function createApprovals(options: ApprovalsOptions): Approvals {
  const { redactor, clock } = options;
  const deadlineMs = options.deadlineMs ?? usualDeadlineMs;
  const perAgent = options.perAgent ?? usualPerAgent;
  const store = createQuestionStore(options.database, clock());
  const watchers = createWatchers();
  const pending = new Map<QuestionId, PendingQuestion>();
  const timers = new Map<QuestionId, NodeJS.Timeout>();
  const list = (): readonly OpenQuestion[] => Array.from(pending.values(), ({ shown }) => shown);

  function ask(question: Question, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
    const waiting = [...pending.values()];
    bound(waiting, question);
    const digest = questionDigest(question);
    const found = waiting.find((other) => other.digest === digest) ?? open(question, digest);
    return found.join(signal, () => {
      if (found.waiting === 0) close(found, { answer: undefined, by: "withdrawn: the caller went away" });
    });
  }

  function bound(waiting: readonly PendingQuestion[], question: Question): void {
    const { agent } = question.subject;
    const count = (questions: readonly PendingQuestion[]): number =>
      questions.reduce((sum, other) => sum + other.waiting, 0);
    if (count(waiting.filter((other) => other.question.subject.agent === agent)) >= perAgent)
      throw new Problem("resource_exhausted", `${perAgent} requests of ${agent} wait for a person already`);
    if (count(waiting) >= mostWaiting)
      throw new Problem("resource_exhausted", `${mostWaiting} requests wait for a person already`);
  }

  function open(question: Question, digest: string): PendingQuestion {
    const askedAt = clock();
    const shown = present(question, newQuestionId(), askedAt, new Date(askedAt.getTime() + deadlineMs), redactor);
    stored("the question", () => store.insert(shown));
    const opened = new PendingQuestion(question, shown, digest);
    pending.set(shown.id, opened);
    timers.set(
      shown.id,
      setTimeout(() => expire(opened), deadlineMs),
    );
    watchers.emit({ kind: "opened", question: shown });
    return opened;
  }

  /** Takes a question off the queue. Where its end cannot be stored it ends all the same: nobody was allowed anything. */
  function close(question: PendingQuestion, closing: Closing): void {
    try {
      stored("the end of a question", () => store.close(question.shown.id, closing, clock()));
    } catch (error) {
      options.onTrouble(asProblem(error));
    }
    remove(question, closing);
  }

  function remove({ shown: { id } }: PendingQuestion, closing: Closing): void {
    if (!pending.delete(id)) return;
    clearTimeout(timers.get(id));
    timers.delete(id);
    watchers.emit({ kind: "closed", id, ...closing });
  }

  function expire(question: PendingQuestion): void {
    question.overdue = true;
    // Somebody is answering, and was in time. Should that fail, it ends here.
    if (question.answering !== undefined || !pending.has(question.shown.id)) return;
    close(question, { answer: "deny", by: "the deadline" });
    const message = `nobody answered within ${deadlineMs / 1000} seconds`;
    question.release({ kind: "deny", by: { kind: "rule" }, message });
  }

  async function answer(id: QuestionId, kind: AnswerKind, caller: Caller, message = ""): Promise<readonly Rule[]> {
    if (caller.role !== "admin" || caller.isAgent)
      throw new Problem("permission_denied", "only an admin answers a question, and never an agent's credential");
    if (message.length > longestMessage) throw invalid("message", `longer than ${longestMessage} characters`);
    const question = free(id);
    const by: By = { kind: "person", name: caller.agent, channel: caller.channel };
    const closing: Closing = { answer: kind, by: `${caller.agent} on ${caller.channel}` };
    let rules: readonly Rule[];
    try {
      rules = kind === "allow" || kind === "deny" ? [] : await keep(question, kind, by, closing.by);
      stored("the answer", () => store.close(id, closing, clock()));
    } catch (error) {
      question.answering = undefined;
      if (question.overdue) expire(question);
      throw error;
    }
    remove(question, closing);
    question.release({ kind, by, ...(message === "" ? {} : { message }) });
    return rules;
  }

  function free(id: QuestionId): PendingQuestion {
    const question = pending.get(id);
    if (question === undefined) {
      const closing = store.closing(id);
      if (closing === undefined) throw new Problem("not_found", "there is no such question");
      throw new Problem("failed_precondition", `the question is closed: ${describe(closing)}`);
    }
    if (question.answering !== undefined)
      throw new Problem("failed_precondition", `${question.answering} is answering the question just now`);
    return question;
  }

  async function keep(
    question: PendingQuestion,
    kind: "always-allow" | "always-deny",
    by: By,
    who: string,
  ): Promise<readonly Rule[]> {
    const drafts = draftsFor(question.question, kind === "always-allow" ? "allow" : "deny");
    if (drafts.length === 0)
      throw new Problem("failed_precondition", "no rule can be written for this: answer it once");
    question.answering = who;
    let rules: readonly Rule[];
    try {
      rules = await options.keep(drafts, by, question.question);
    } catch (error) {
      throw asProblem(error, "the rule could not be written");
    }
    if (pending.has(question.shown.id)) return rules;
    throw new Problem("failed_precondition", "the question was withdrawn while its rule was written; the rule holds");
  }

  return {
    ask: async (question, signal) => ask(question, signal),
    watch: (signal) => watchers.watch(list(), signal),
    list,
    closed(limit) {
      if (!Number.isInteger(limit) || limit < 1 || limit > mostListed)
        throw invalid("limit", `not from 1 to ${mostListed}`);
      return store.closed(limit);
    },
    answer,
    withdraw(session) {
      for (const question of pending.values()) {
        if (question.question.subject.session !== session) continue;
        close(question, { answer: undefined, by: "withdrawn: the session was closed" });
        question.fail(new Problem("cancelled", "the session was closed before a person answered"));
      }
    },
    stop() {
      for (const question of pending.values()) {
        remove(question, { answer: undefined, by: "Sallyport is stopping" });
        question.fail(new Problem("cancelled", "Sallyport is stopping"));
      }
    },
  };
}

function stored(what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw asProblem(error, `${what} could not be stored`);
  }
}

function asProblem(error: unknown, doing = "a question could not be kept"): Problem {
  return error instanceof Problem ? error : new Problem("unavailable", doing, { cause: error });
}

function describe({ answer, by }: Closing): string {
  return answer === undefined ? by : `${by} answered ${answer}`;
}

function newQuestionId(): QuestionId {
  const id = parseQuestionId(randomBytes(16).toString("base64url"));
  if (id === undefined) throw new Problem("internal", "no valid question identifier was made");
  return id;
}
