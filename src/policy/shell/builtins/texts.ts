import { limits } from "../limits.ts";
import { textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import { forgettingAll, taintedState, type ShellState } from "../state/shell-state.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { afterwards, silent, unchanged, type Outcome } from "../walk/outcome.ts";
import { isEmptyScript, scriptText } from "../walk/script-text.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";

/** `eval`: its words, joined by blanks, are read as a script in this shell. */
export function evaluate(call: Invocation, walk: Walk): Outcome {
  const words = call.argv.slice(1).filter((word, index) => index > 0 || textOf(word) !== "--");
  return runHere(words, call, walk, "the text that eval runs is not known");
}

/** Runs words as a script in this shell. */
function runHere(words: readonly Word[], call: Invocation, walk: Walk, why: string): Outcome {
  const text = words.map(scriptText).join(" ");
  const inside: Walk = { ...walk, span: call.span, wrappers: [...walk.wrappers, ...call.wrappers, call.argv] };
  if (call.redirects.length > 0 || call.assignments.length > 0) emitCommand({ ...call, argv: [] }, walk);
  if (words.every((word) => word.kind === "literal")) {
    if (isEmptyScript(text)) emitCommand(call, walk);
    return walk.steps.text(text, call.state, inside);
  }
  emitCommand(call, walk);
  opaque(walk, text, why, "dynamic");
  const after = afterwards(walk.steps.text(text, call.state, onlyChecking(inside)));
  return unchanged(
    forgettingAll({ ...call.state, cwds: [...new Set([...after.cwds, undefined])].slice(-limits.cwds) }),
  );
}

/** `source` and `.`: a file's text runs in this shell. */
export function source(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const file = call.argv.slice(1).find((word) => textOf(word) !== "--");
  opaque(walk, file === undefined ? "source" : scriptText(file), "the text of the file runs in this shell", "dynamic");
  const fed = file?.kind === "dynamic" ? file.contents : isStdin(textOf(file)) ? fedTo(call.state) : undefined;
  if (fed !== undefined) walk.steps.text(fed, call.state, { ...onlyChecking(walk), span: call.span });
  return unchanged({ ...forgettingAll(call.state), cwds: [...new Set([...call.state.cwds, undefined])] });
}

/** `trap`, `alias`, `complete -C`, `bind -x`, `mapfile -C`: a text that runs later. `words`: where it may stand. */
export function later(call: Invocation, walk: Walk, words: readonly Word[] = call.argv.slice(1)): Outcome {
  emitCommand(call, walk);
  const texts = words.filter((word) => !/^-?$|^-[lpar]+$/.test(scriptText(word)));
  if (texts.length === 0) return unchanged(call.state);
  opaque(walk, texts.map(scriptText).join(" "), "a text that runs later cannot be followed", "dynamic");
  const inside: Walk = { ...onlyChecking(walk), span: call.span };
  const start: ShellState = { ...call.state, positional: undefined };
  for (const word of texts) {
    const text = scriptText(word);
    // The name of an alias or a key stands before it; a script may also begin with an assignment.
    const named = text.replace(/^[\w-]+=|^"[^"]*":\s*/, "");
    for (const script of new Set([text, named])) walk.steps.text(script, start, inside);
  }
  return unchanged(taintedState(call.state), silent);
}

/** `trap`: its first word is a text that runs later, the others name signals. A word alone names a signal, whose meaning it puts back. */
export function trapped(call: Invocation, walk: Walk): Outcome {
  const words = call.argv.slice(1);
  if (words.some((word) => word.kind !== "literal")) return later(call, walk);
  const plain = textOf(words[0]) === "--" ? words.slice(1) : words;
  return later(call, walk, plain.length > 1 ? plain.slice(0, 1) : []);
}

/** `enable`, `hash -p`, `shopt`, `unalias`: change what names mean, or how text is read. */
export function meanings(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const texts = call.argv.map(scriptText);
  if (harmless(texts)) return unchanged(call.state);
  opaque(walk, texts.join(" "), "it changes what names mean or how text is read", "dynamic");
  // `hash -p PROGRAM NAME`: the name starts that program from now on, as an alias would.
  const path = call.argv[texts.findIndex((text) => /^-\w*p$/.test(text)) + 1];
  if (texts[0] === "hash" && path !== undefined)
    walk.steps.invoke({ ...call, argv: [path], external: true }, onlyChecking(walk));
  return unchanged(taintedState(call.state), silent);
}

/** Options that only change which files a pattern matches or when a command counts as failed. */
const matching =
  /^(-[suqp]+|nullglob|globstar|dotglob|failglob|nocaseglob|nocasematch|extglob|inherit_errexit|globasciiranges)$/;

function harmless([name, ...words]: readonly string[]): boolean {
  switch (name) {
    case "hash":
      return words.every((word) => !/^-\w*[pd]/.test(word));
    case "enable":
      return words.every((word) => /^-[aps]+$/.test(word));
    case "shopt":
      return words.every((word) => matching.test(word));
    default:
      return false;
  }
}

/** Names of files that are standard input. */
export function isStdin(path: string | undefined): boolean {
  return path !== undefined && /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/(self|thread-self|\$\$)\/fd\/0)$/.test(path);
}

/** What standard input holds or may well hold. */
export function fedTo(state: ShellState): string | undefined {
  return state.stdin.kind === "literal" ? state.stdin.text : state.fed;
}
