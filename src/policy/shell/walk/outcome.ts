import { limits } from "../limits.ts";
import { mergeCwds, mergeStates } from "../state/merge-states.ts";
import type { ShellState } from "../state/shell-state.ts";

/** Text that a command writes to its standard output. */
export interface Output {
  readonly text: string;
  /** False for a good guess that only the blocklist looks at. */
  readonly sure: boolean;
}

/** What holds after a command, told apart by its success, and what it printed where that is known. */
export interface Outcome {
  readonly ok: ShellState;
  readonly fail: ShellState;
  readonly output: Output | undefined;
}

/** No output, surely. */
export const silent: Output = { text: "", sure: true };

/** The outcome of a command that changes nothing in the shell. */
export function unchanged(state: ShellState, output?: Output): Outcome {
  return { ok: state, fail: state, output };
}

/** What holds afterwards, whether it succeeded or not. */
export function afterwards(outcome: Outcome): ShellState {
  return mergeStates(outcome.ok, outcome.fail);
}

/** What holds after a `cd` that nothing depends on: it is taken to succeed, as its author took it. The blocklist still sees the other case. */
export function afterPlainCd({ ok, fail }: Outcome): ShellState {
  return ok.cwds === fail.cwds ? ok : { ...ok, suspects: mergeCwds(fail.cwds, fail.suspects ?? fail.cwds) };
}

/** The outcome where either of two commands ran. */
export function eitherOutcome(a: Outcome, b: Outcome): Outcome {
  return { ok: mergeStates(a.ok, b.ok), fail: mergeStates(a.fail, b.fail), output: eitherOutput(a.output, b.output) };
}

/** The output of one command behind the other. */
export function joinOutput(a: Output | undefined, b: Output | undefined): Output | undefined {
  if (a === undefined || b === undefined || a.text.length + b.text.length > limits.outputUnits) return undefined;
  return a.text === "" && a.sure ? b : { text: a.text + b.text, sure: a.sure && b.sure };
}

/** The output where either ran: a guess, unless both print the same. */
function eitherOutput(a: Output | undefined, b: Output | undefined): Output | undefined {
  if (a !== undefined && b !== undefined && a.text === b.text) return { text: a.text, sure: a.sure && b.sure };
  const text = a === undefined || a.text === "" ? (b?.text ?? a?.text) : a.text;
  return text === undefined ? undefined : { text, sure: false };
}

/** The same output as a guess only. */
export function unsure(output: Output | undefined): Output | undefined {
  return output === undefined ? undefined : { text: output.text, sure: false };
}
