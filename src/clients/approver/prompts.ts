import type { WriteStream } from "node:tty";
import { select, text } from "@clack/prompts";
import type { KeyGate } from "./key-gate.ts";

/** One choice of a list. */
export interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
  readonly disabled?: boolean;
}

/** What came of a prompt that was not answered. `left`: Escape. `cut`: the signal ended it. Neither is ever an answer. */
export type Unanswered = { readonly kind: "left" } | { readonly kind: "cut" };

/** What came of a prompt. */
export type Prompted<T> = { readonly kind: "value"; readonly value: T } | Unanswered;

/** Prompts on one terminal, until a signal ends them. */
export interface Prompts {
  /** Lets a person choose with the arrow keys. */
  choose<const T extends string>(message: string, options: readonly Option<T>[], initial: T): Promise<Prompted<T>>;
  /** Lets a person type one line, which starts as `initial`. */
  type(message: string, initial: string): Promise<Prompted<string>>;
}

/** What prompts are drawn with. */
export interface PromptSurface {
  readonly gate: KeyGate;
  readonly output: WriteStream;
  readonly signal: AbortSignal;
  /** How long a prompt must stand before keys count, in milliseconds. */
  readonly graceMs: number;
}

/** Makes them. */
export function promptsOn({ gate, output, signal, graceMs }: PromptSurface): Prompts {
  async function ask(open: (prompt: AbortSignal) => Promise<string | symbol>): Promise<Prompted<string>> {
    // Its own controller: the prompt keeps listening to its signal for good, and would draw again when the question's closes later.
    const prompt = new AbortController();
    const cut = (): void => prompt.abort();
    if (signal.aborted) cut();
    signal.addEventListener("abort", cut, { once: true });
    try {
      const value = await open(prompt.signal);
      if (signal.aborted) return { kind: "cut" };
      return typeof value === "symbol" ? { kind: "left" } : { kind: "value", value };
    } finally {
      signal.removeEventListener("abort", cut);
      gate.close();
    }
  }
  return {
    choose: <const T extends string>(message: string, options: readonly Option<T>[], initialValue: T) =>
      ask((prompt) =>
        select<string>({
          message,
          input: gate.open(graceMs),
          output,
          signal: prompt,
          initialValue,
          options: options.map((option) => ({ ...option })),
        }),
      ).then((came): Prompted<T> => {
        if (came.kind !== "value") return came;
        const chosen = options.find(({ value }) => value === came.value);
        return chosen === undefined ? { kind: "left" } : { kind: "value", value: chosen.value };
      }),
    type: (message, initialValue) =>
      ask((prompt) => text({ message, input: gate.open(graceMs, "text"), output, signal: prompt, initialValue })),
  };
}
