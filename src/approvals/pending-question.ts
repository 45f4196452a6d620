import type { Answer, Editable } from "../model/gate-ports.ts";
import { Problem } from "../model/problem.ts";
import type { RuleDraft } from "../model/rule.ts";
import type { Subject } from "../model/subject.ts";
import type { OpenQuestion } from "./open-question.ts";

interface Waiter {
  resolve(answer: Answer): void;
  reject(problem: Problem): void;
}

/** What an answer needs of a question beyond what people are shown of it. */
export interface Asked {
  readonly subject: Subject;
  /** As they would be written: what is shown of them may have escapes. */
  readonly drafts: readonly RuleDraft[];
  /** Undefined: it can be answered only as it is. */
  readonly editable?: Editable | undefined;
}

/** One open question, and everybody who waits for its answer: nobody, where it is from before a restart. */
export class PendingQuestion {
  readonly digest: string;
  /** Who is answering while the rules are being written; undefined while the question is free. */
  answering: string | undefined;
  /** True where the deadline passed while somebody was answering. */
  overdue = false;
  #asked: Asked;
  #shown: OpenQuestion;
  readonly #waiters = new Set<Waiter>();

  constructor(asked: Asked, shown: OpenQuestion, digest: string) {
    this.#asked = asked;
    this.#shown = shown;
    this.digest = digest;
  }

  get asked(): Asked {
    return this.#asked;
  }

  get shown(): OpenQuestion {
    return { ...this.#shown, waiting: this.waiting, waitsForCaller: this.waiting === 0 };
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Whoever asked before a restart asks again: from now on it can be answered like any other. */
  askedAgain(asked: Asked, shown: OpenQuestion): void {
    const { id, askedAt, deadline } = this.#shown;
    this.#asked = asked;
    this.#shown = { ...shown, id, askedAt, deadline };
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
