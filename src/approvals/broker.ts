import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { By } from "../model/decision.ts";
import type { Answer, Asker, Question, Reply } from "../model/gate-ports.ts";
import type { QuestionId, SessionId } from "../model/ids.ts";
import { invalid, Problem } from "../model/problem.ts";
import type { Rule } from "../model/rule.ts";
import type { Caller, Subject } from "../model/subject.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { checkReply, editOf, requireAnswerer, requireNoMore } from "./check-reply.ts";
import { keepingOf, type Keeping } from "./keeping.ts";
import { newQuestionId } from "./new-question-id.ts";
import type {
  Answered,
  ClosedQuestion,
  Closing,
  EditLook,
  OpenQuestion,
  QuestionEvent,
  RecordedAnswer,
  RulesPlace,
} from "./open-question.ts";
import { PendingQuestion } from "./pending-question.ts";
import { present } from "./present.ts";
import { questionDigest } from "./question-digest.ts";
import { createQuestionGuard } from "./question-limits.ts";
import { createQuestionStore } from "./question-store.ts";
import { asProblem, stored } from "./stored.ts";
import { requireSamePlan, tryEdit, type TryEditParts } from "./try-edit.ts";
import { createWatchers } from "./watchers.ts";

/** What the broker is made of. */
export interface ApprovalsOptions {
  /** `sallyport.db` of the state folder. */
  readonly database: DatabaseSync;
  readonly redactor: Redactor;
  readonly clock: () => Date;
  /** Writes the rules of an answer, all or none, before anybody is released. What it throws makes the answer fail. */
  readonly keep: (keeping: Keeping) => readonly Rule[] | Promise<readonly Rule[]>;
  /** Records an answer before it counts. What it throws makes the answer fail. */
  readonly record: (answer: RecordedAnswer) => void;
  /** The files that an "always" may write to for this subject, the usual one first. */
  readonly places: (subject: Subject) => readonly RulesPlace[];
  /** Told of what could not be stored but must not stop anything: the end of a question that nobody answered. */
  readonly onTrouble: (problem: Problem) => void;
  /** Milliseconds until silence is a denial; five minutes where not given. */
  readonly deadlineMs?: number;
  /** Requests of one agent that may wait at a time; 32 where not given. */
  readonly perAgent?: number;
  /** New questions of one agent within a minute; 120 where not given. */
  readonly perMinute?: number;
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
   * Answers once, and then each of `also`, which must be of the same group, as if it were answered alone. Where nobody waits the answer is kept until the deadline.
   * @throws Problem `permission_denied` for anybody but an admin, and for every agent's credential; `invalid_argument`; `not_found`; `failed_precondition` where
   * somebody else was first, no rule can be written, or what was edited is refused; `unavailable` where rule, record or answer could not be stored. The
   * question stays open then.
   */
  answer(id: QuestionId, reply: Reply, caller: Caller, also?: readonly QuestionId[]): Promise<Answered>;
  /** What an edited text would do; answers nothing. @throws Problem as `answer` with `edit-and-allow` does */
  tryEdit(id: QuestionId, edited: string, caller: Caller): EditLook;
  /** Takes the questions of a session that ended off the queue and fails everybody who waits for them. */
  withdraw(session: SessionId): void;
  /** Fails everybody who waits. The questions are open again at the next start. */
  stop(): void;
}

const usualDeadlineMs = 300_000;
const usualPerAgent = 32;
const usualPerMinute = 120;
const mostListed = 1000;

/** Makes the queue over its store, with the questions that were open when the last run ended. @throws the store's error. */
export function createApprovals(options: ApprovalsOptions): Approvals {
  const { redactor, clock } = options;
  const editing: TryEditParts = { redactor, planKey: randomBytes(32) };
  const deadlineMs = options.deadlineMs ?? usualDeadlineMs;
  const { perAgent = usualPerAgent, perMinute = usualPerMinute } = options;
  const guard = createQuestionGuard({ perAgent, perMinute }, clock);
  const store = createQuestionStore(options.database, clock());
  const watchers = createWatchers();
  const pending = new Map<QuestionId, PendingQuestion>();
  const timers = new Map<QuestionId, NodeJS.Timeout>();
  let stopped = false;
  const list = (): readonly OpenQuestion[] => Array.from(pending.values(), ({ shown }) => shown);
  for (const { shown, digest, ...asked } of store.load()) hold(new PendingQuestion(asked, shown, digest));

  function ask(question: Question, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
    if (stopped) throw new Problem("unavailable", "Sallyport is stopping");
    const digest = questionDigest(question);
    const kept = stored("whether it was answered", () => store.kept(digest, clock()));
    if (kept !== undefined)
      return Promise.resolve({
        ...kept,
        useUp: (record) => stored("the use of an answer", () => store.useUp(digest, record)),
      });
    guard.checkWaiting(question.subject.agent, pending.values());
    const known = [...pending.values()].find((other) => other.digest === digest);
    if (known?.waiting === 0) known.askedAgain(question, shownOf(question, known.shown.id));
    const found = known ?? open(question, digest);
    const answered = found.join(signal, () => {
      if (found.waiting === 0) close(found, { answer: undefined, by: "withdrawn: the caller went away" });
      else announce(found);
    });
    announce(found);
    return answered;
  }

  function shownOf(question: Question, id: QuestionId): OpenQuestion {
    const askedAt = clock();
    const deadline = new Date(askedAt.getTime() + deadlineMs);
    return present(question, { id, askedAt, deadline, redactor, places: options.places(question.subject) });
  }

  function open(question: Question, digest: string): PendingQuestion {
    const shown = shownOf(question, newQuestionId());
    const { subject, drafts } = question;
    guard.countNew(subject.agent);
    // A rule with a secret in it is not kept for later.
    const plain = drafts.every(({ match }) => redactor.redact(match) === match);
    stored("the question", () => store.insert({ shown, digest, subject, drafts: plain ? drafts : [] }));
    const opened = new PendingQuestion(question, shown, digest);
    hold(opened);
    return opened;
  }

  function hold(question: PendingQuestion): void {
    const { id, deadline } = question.shown;
    pending.set(id, question);
    timers.set(
      id,
      setTimeout(() => expire(question), Math.max(0, deadline.getTime() - clock().getTime())),
    );
  }

  function announce(question: PendingQuestion): void {
    if (pending.has(question.shown.id)) watchers.emit({ kind: "opened", question: question.shown });
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

  async function answer(
    id: QuestionId,
    reply: Reply,
    caller: Caller,
    also: readonly QuestionId[] = [],
  ): Promise<Answered> {
    requireAnswerer(caller);
    checkReply(reply);
    const question = free(id);
    const { group } = question.shown;
    const others = [...new Set(also)].filter((other) => other !== id);
    for (const other of others)
      if ((pending.get(other)?.shown.group ?? group) !== group) throw invalid("also", `${other} is of another group`);
    requireNoMore(reply, [question, ...others.flatMap((other) => pending.get(other) ?? [])]);
    const rules = [...(await answerOne(question, reply, caller))];
    const notCounted: { id: QuestionId; reason: string }[] = [];
    for (const other of others)
      try {
        rules.push(...(await answerOne(free(other), reply, caller)));
      } catch (error) {
        notCounted.push({ id: other, reason: asProblem(error).message });
      }
    return { rules, notCounted };
  }

  async function answerOne(question: PendingQuestion, reply: Reply, caller: Caller): Promise<readonly Rule[]> {
    const { shown, digest } = question;
    const edit = editOf(question, reply);
    requireSamePlan(edit, reply.plan, editing);
    const edited = edit?.text;
    const by: By = { kind: "person", name: caller.agent, channel: caller.channel, question: shown.id };
    const closing: Closing = { answer: reply.kind, by: `${caller.agent} on ${caller.channel}` };
    const keeping = keepingOf(question, reply, by, clock());
    const said: Answer = {
      kind: reply.kind,
      by,
      ...(reply.message === undefined || reply.message === "" ? {} : { message: reply.message }),
      ...(edit === undefined ? {} : { edited: edit.text, editedOperands: edit.attempt.operands }),
    };
    let rules: readonly Rule[];
    try {
      rules = keeping === undefined ? [] : await keep(question, keeping, closing.by);
      recorded({ question: shown, reply, edited, caller, rules });
      const kept = question.waiting === 0 ? { digest, deadline: shown.deadline, answer: said } : undefined;
      stored("the answer", () => store.close(shown.id, closing, clock(), kept));
    } catch (error) {
      question.answering = undefined;
      if (question.overdue) expire(question);
      throw error;
    }
    remove(question, closing);
    question.release(said);
    return rules;
  }

  function free(id: QuestionId): PendingQuestion {
    const question = pending.get(id);
    if (question?.answering !== undefined)
      throw new Problem("failed_precondition", `${question.answering} is answering the question just now`);
    // A timer may be late: the clock decides.
    if (question !== undefined && question.shown.deadline <= clock()) expire(question);
    else if (question !== undefined) return question;
    const closing = store.closing(id);
    if (closing === undefined) throw new Problem("not_found", "there is no such question");
    throw new Problem("failed_precondition", `the question is closed: ${describe(closing)}`);
  }

  async function keep(question: PendingQuestion, keeping: Keeping, who: string): Promise<readonly Rule[]> {
    question.answering = who;
    let rules: readonly Rule[];
    try {
      rules = await options.keep(keeping);
    } catch (error) {
      throw asProblem(error, "the rule could not be written");
    }
    if (pending.has(question.shown.id)) return rules;
    throw new Problem("failed_precondition", "the question was withdrawn while its rule was written; the rule holds");
  }

  function recorded(said: RecordedAnswer): void {
    stored("the record of the answer", () => options.record(said));
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
    tryEdit(id, edited, caller) {
      requireAnswerer(caller);
      checkReply({ kind: "edit-and-allow", edited });
      return tryEdit(free(id), edited, editing);
    },
    withdraw(session) {
      for (const question of pending.values()) {
        if (question.asked.subject.session !== session) continue;
        close(question, { answer: undefined, by: "withdrawn: the session was closed" });
        question.fail(new Problem("cancelled", "the session was closed before a person answered"));
      }
    },
    stop() {
      stopped = true;
      for (const question of pending.values()) {
        remove(question, { answer: undefined, by: "Sallyport is stopping" });
        question.fail(new Problem("cancelled", "Sallyport is stopping"));
      }
    },
  };
}

function describe({ answer, by }: Closing): string {
  return answer === undefined ? by : `${by} answered ${answer}`;
}
