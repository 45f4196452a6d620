import type { WriteStream } from "node:tty";
import { isCancel, select } from "@clack/prompts";
import { AnswerKind, type Question } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { KeyGate } from "./key-gate.ts";

/** What came of a prompt. `left`: Escape, the question stays open. `cut`: the signal ended the prompt. Neither is ever an answer. */
export type Choice =
  | { readonly kind: "answer"; readonly answer: AnswerKind }
  | { readonly kind: "left" }
  | { readonly kind: "cut" };

/** Lets a person choose with the arrow keys. Starts on Deny. */
export async function chooseAnswer(
  question: Question,
  gate: KeyGate,
  output: WriteStream,
  signal: AbortSignal,
  graceMs: number,
): Promise<Choice> {
  const noAllow = question.allowDrafts.length === 0;
  const noDeny = question.denyDrafts.length === 0;
  // Its own controller: the prompt keeps listening to its signal for good, and would draw again when the question's closes later.
  const prompt = new AbortController();
  const cut = (): void => prompt.abort();
  if (signal.aborted) cut();
  signal.addEventListener("abort", cut, { once: true });
  try {
    const answer = await select<AnswerKind>({
      message: "Your answer",
      input: gate.open(graceMs),
      output,
      signal: prompt.signal,
      initialValue: AnswerKind.DENY,
      options: [
        { value: AnswerKind.ALLOW, label: "Allow", hint: "this once" },
        {
          value: AnswerKind.ALWAYS_ALLOW,
          label: "Always allow",
          hint: noAllow ? "no rule can say this" : "writes the rule",
          disabled: noAllow,
        },
        { value: AnswerKind.DENY, label: "Deny", hint: "this time" },
        {
          value: AnswerKind.ALWAYS_DENY,
          label: "Always deny",
          hint: noDeny ? "no rule can say this" : "writes the rule",
          disabled: noDeny,
        },
      ],
    });
    if (signal.aborted) return { kind: "cut" };
    return isCancel(answer) ? { kind: "left" } : { kind: "answer", answer };
  } finally {
    signal.removeEventListener("abort", cut);
    gate.close();
  }
}
