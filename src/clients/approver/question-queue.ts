import type { Question, QuestionClosed } from "../../gen/sallyport/v1/approvals_pb.ts";

/** A question that waits for its turn or stands on the screen. */
export interface Waiting {
  readonly question: Question;
  /** Aborts when the question is closed by somebody else; the reason is the QuestionClosed. */
  readonly closed: AbortSignal;
}

/** Open questions, the oldest first. */
export interface QuestionQueue {
  /** Adds a question; one that is known already changes nothing. */
  opened(question: Question): void;
  closed(closed: QuestionClosed): void;
  /** The next question. Waits for one; undefined once `signal` aborts or where nothing waits and `wait` is false. */
  next(wait: boolean, signal: AbortSignal): Promise<Waiting | undefined>;
  /** Lays a question aside until `recall`; it stays open. */
  putAside(waiting: Waiting): void;
  /** Brings back what was laid aside. */
  recall(): void;
  readonly waiting: number;
  readonly aside: number;
}

interface Held extends Waiting {
  readonly controller: AbortController;
}

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
      if (known.has(question.id)) return;
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
