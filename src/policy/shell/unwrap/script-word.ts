import type { Word } from "../simple-command.ts";
import { childState, type ShellState } from "../state/shell-state.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { unchanged, unsure, type Outcome } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";

/** Runs words, joined by blanks, as a script in a shell of its own. `call`: the wrapper around it, already among its wrappers. */
export function runScriptWord(
  words: readonly Word[],
  call: Invocation,
  walk: Walk,
  positional?: readonly Word[],
): Outcome {
  const text = words.map(scriptText).join(" ");
  const known = words.every((word) => word.kind === "literal");
  return runScriptText(text, known, call, walk, positional);
}

/** Runs a text in a shell of its own. `known: false`: it is only what it may well be, so it asks, and the blocklist looks at it. */
export function runScriptText(
  text: string,
  known: boolean,
  call: Invocation,
  walk: Walk,
  positional?: readonly Word[],
): Outcome {
  let seen = false;
  const inside: Walk = {
    ...walk,
    span: call.span,
    wrappers: [...walk.wrappers, ...call.wrappers],
    calls: [],
    emit(found) {
      seen ||= found.kind === "command" ? found.command.argv.length > 0 : found.kind === "opaque";
      walk.emit(found);
    },
  };
  const state: ShellState = childState(call.state, positional);
  const emitShell = (): void =>
    emitCommand({ ...call, argv: call.wrappers.at(-1) ?? call.argv, wrappers: call.wrappers.slice(0, -1) }, walk);
  if (known) {
    if (call.redirects.length > 0 || call.assignments.length > 0) emitCommand({ ...call, argv: [] }, walk);
    const { output } = walk.steps.text(text, state, inside);
    // A script of comments or assignments: the shell is the only program that starts.
    if (!seen) emitShell();
    return unchanged(call.state, output);
  }
  emitShell();
  opaque(walk, text, "the text that the shell runs is not known", "dynamic");
  return unchanged(call.state, unsure(walk.steps.text(text, state, onlyChecking(inside)).output));
}
