import type { Answer, Question } from "../model/gate-ports.ts";
import { Problem } from "../model/problem.ts";
import type { OpenQuestion } from "./open-question.ts";

interface Waiter {
  resolve(answer: Answer): void;
  reject(problem: Problem): void;
}

/** One open question, and everybody who waits for its answer. */
export class PendingQuestion {
  readonly question: Question;
  readonly shown: OpenQuestion;
  readonly digest: string;
  /** Who is answering while the rules are being written; undefined while the question is free. */
  answering: string | undefined;
  /** True where the deadline passed while somebody was answering. */
  overdue = false;
  readonly #waiters = new Set<Waiter>();

  constructor(question: Question, shown: OpenQuestion, digest: string) {
    this.question = question;
    this.shown = shown;
    this.digest = digest;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Waits for the answer. Where the signal aborts it rejects; `left` is told then. */
  join(signal: AbortSignal, left: () => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        reject(new Problem("cancelled", "the caller went away before a person answered", { cause: signal.reason }));
        left();
      };
      const waiter: Waiter = {
        resolve(answer) {
          signal.removeEventListener("abort", leave);
          resolve(answer);
        },
        reject(problem) {
          signal.removeEventListener("abort", leave);
          reject(problem);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiters.add(waiter);
    });
  }

  release(answer: Answer): void {
    for (const waiter of this.#waiters) waiter.resolve(answer);
    this.#waiters.clear();
  }

  fail(problem: Problem): void {
    for (const waiter of this.#waiters) waiter.reject(problem);
    this.#waiters.clear();
  }
}
