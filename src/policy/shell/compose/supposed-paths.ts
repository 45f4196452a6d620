import type { PathEffect } from "../../../model/effect.ts";
import type { PathMention, ProgramEffects, ProgramWorld } from "../programs/program-effects.ts";
import { literal } from "../programs/words.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { namesAmong } from "./names-among.ts";
import { resolveWord } from "./resolve-word.ts";

/**
 * Paths that a command's words name where nobody can tell what becomes of them: a file among the words of a program that is not understood, a name in inline
 * code, what a pattern makes the shell look at. Where the command is `understood` to the last word only what its program says itself counts. They are no effects: only
 * rules that deny or ask hear of them.
 */
export function* supposedPaths(
  command: SimpleCommand,
  own: ProgramEffects,
  understood: boolean,
  world: ProgramWorld,
): Iterable<PathEffect> {
  const named = (word: Word): PathMention[] => resolveWord(word, command.cwds, world);
  for (const mention of own.supposed) yield effect("read", mention);
  if (understood) return;
  const opened = command.redirects.filter(({ operator }) => operator === "read-write").map(({ target }) => target);
  for (const word of [...opened, ...command.argv.slice(1).filter(({ kind }) => kind === "glob")])
    for (const mention of named(word)) yield effect("read", mention);
  if (own.known && own.opaque.length === 0) return;
  for (const [text, written] of namesAmong(command, own.known))
    for (const mention of named(literal(text))) {
      yield effect("read", mention);
      if (written) yield effect("write", mention);
    }
}

function effect(kind: "read" | "write", { path, exact }: PathMention): PathEffect {
  return { kind, path, exact };
}
