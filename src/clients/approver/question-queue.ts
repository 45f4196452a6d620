import type { Question, QuestionClosed } from "../../gen/sallyport/v1/approvals_pb.ts";

/** A question that waits for its turn or stands on the screen. */
export interface Waiting {
  readonly question: Question;
  /** Aborts when the question is closed by somebody else; the reason is the QuestionClosed. */
  readonly closed: AbortSignal;
}

/** Open questions, the oldest first. */
export interface QuestionQueue {
  /** Adds a question; of one that is known already only who waits for it changes. */
  opened(question: Question): void;
  closed(closed: QuestionClosed): void;
  /** The next question. Waits for one; undefined once `signal` aborts or where nothing waits and `wait` is false. */
  next(wait: boolean, signal: AbortSignal): Promise<Waiting | undefined>;
  /** Lays a question aside until `recall`; it stays open. */
  putAside(waiting: Waiting): void;
  /** Open questions of the same group, beside this one; 100 at most. */
  alike(question: Question): readonly Question[];
  /** Brings back what was laid aside. */
  recall(): void;
  readonly waiting: number;
  readonly aside: number;
}

interface Held extends Waiting {
  question: Question;
  readonly controller: AbortController;
}

/** Answers that one request may carry beside its own (AnswerRequest.also). */
const mostAlike = 100;

/** Makes an empty queue. */
export function questionQueue(): QuestionQueue {
  const known = new Map<string, Held>();
  const order: Held[] = [];
  let aside: Waiting[] = [];
  let wake = Promise.withResolvers<void>();
  function notify(): void {
    wake.resolve();
    wake = Promise.withResolvers();
  }
  return {
    opened(question) {
      const before = known.get(question.id);
      if (before !== undefined) {
        before.question = question;
        return;
      }
      const controller = new AbortController();
      const held = { question, controller, closed: controller.signal };
      known.set(question.id, held);
      order.push(held);
      notify();
    },
    closed(closed) {
      known.get(closed.id)?.controller.abort(closed);
      known.delete(closed.id);
      aside = aside.filter(({ question }) => question.id !== closed.id);
    },
    async next(wait, signal) {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve(), { once: true });
      });
      while (!signal.aborted) {
        for (let held = order.shift(); held !== undefined; held = order.shift()) if (!held.closed.aborted) return held;
        if (!wait) return undefined;
        await Promise.race([wake.promise, aborted]);
      }
      return undefined;
    },
    putAside(waiting) {
      if (!waiting.closed.aborted) aside.push(waiting);
    },
    alike({ id, group }) {
      if (group === "") return [];
      return [...known.values()]
        .map(({ question }) => question)
        .filter((other) => other.group === group && other.id !== id)
        .slice(0, mostAlike);
    },
    recall() {
      for (const { question } of aside) {
        const held = known.get(question.id);
        if (held !== undefined) order.push(held);
      }
      aside = [];
      notify();
    },
    get waiting() {
      return order.filter(({ closed }) => !closed.aborted).length;
    },
    get aside() {
      return aside.length;
    },
  };
}
