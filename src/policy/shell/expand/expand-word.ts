import type { Word as WordNode } from "unbash";
import { limits } from "../limits.ts";
import type { Word } from "../simple-command.ts";
import { opaque } from "../walk/walk.ts";
import type { Atom } from "./atom.ts";
import { expandBraces } from "./braces.ts";
import type { Expansion } from "./expansion.ts";
import { fieldsOf, guessed, type FieldRules } from "./fields.ts";
import { flattenWord } from "./flatten.ts";
import { looseBraces } from "./loose-braces.ts";
import { expandTilde, expandTildes } from "./tilde.ts";

/** The words that one written word becomes. `guesses`: the same where unknown parts are taken for what they may well be. */
export interface Expanded {
  readonly words: readonly Word[];
  readonly guesses: readonly Word[] | undefined;
}

/** Text without any character that the shell treats specially: by far the most words. */
const plain = /^[\w.,:=@%+/-]+$/;

/** Expands a word of a command: braces, tilde, variables, splitting, globs. */
export function expandWord(node: WordNode, env: Expansion): Expanded {
  if (node.parts === undefined && plain.test(node.text))
    return { words: [{ kind: "literal", value: node.text }], guesses: undefined };
  const flat = flattenWord(node, env);
  const variants = expandBraces(flat);
  env.walk.work.spend(1 + (variants?.length ?? limits.braceResults) * (1 + flat.length / 4));
  if (variants === undefined) return tooManyWords(node, flat, env);
  const rules: FieldRules = { split: true, glob: true, blanksSplit: !env.state.variables.has("IFS") };
  const words: Word[] = [];
  let guesses: Word[] | undefined;
  for (const variant of variants) {
    const atoms = expandTilde(variant, env.state, env.walk);
    const fields = fieldsOf(atoms, node.text, rules);
    const guess = guessed(atoms);
    if (guess !== undefined) guesses ??= [...words];
    guesses?.push(...(guess === undefined ? fields : fieldsOf(guess, node.text, { ...rules, blanksSplit: true })));
    words.push(...fields);
  }
  return { words, guesses };
}

function tooManyWords({ text }: WordNode, atoms: readonly Atom[], env: Expansion): Expanded {
  env.walk.work.spend(text.length / 4);
  opaque(env.walk, text, `braces give more than ${limits.braceResults} words`, "limit");
  const rules: FieldRules = { split: true, glob: true, blanksSplit: true };
  return {
    words: [{ kind: "dynamic", text, parts: [undefined], why: "its braces give too many words" }],
    guesses: looseBraces(atoms).flatMap((word) => fieldsOf(expandTilde(word, env.state, env.walk), text, rules)),
  };
}

/** Expands words of a command in order. */
export function expandWords(nodes: readonly WordNode[], env: Expansion): Expanded {
  const all = nodes.map((node) => expandWord(node, env));
  const guessing = all.some(({ guesses }) => guesses !== undefined);
  return {
    words: all.flatMap(({ words }) => words),
    guesses: guessing ? all.flatMap(({ words, guesses }) => guesses ?? words) : undefined,
  };
}

/** One word where the shell neither splits nor expands file names: assignments, case words, here-strings. */
export interface Single {
  readonly word: Word;
  readonly guess: Word | undefined;
}

/** Expands a word to exactly one. `tildes`: also behind colons, as in assignments. */
export function expandSingle(node: WordNode, env: Expansion, tildes: "first" | "all" = "first"): Single {
  const flat = flattenWord(node, env);
  return singleOf(
    tildes === "all" ? expandTildes(flat, env.state, env.walk) : expandTilde(flat, env.state, env.walk),
    node.text,
  );
}

/** Joins atoms to exactly one word. */
export function singleOf(atoms: readonly Atom[], source: string): Single {
  const guess = guessed(atoms);
  return { word: join(atoms, source), guess: guess === undefined ? undefined : join(guess, source) };
}

function join(atoms: readonly Atom[], source: string): Word {
  return fieldsOf(atoms, source, { split: false, glob: false, blanksSplit: true })[0] ?? { kind: "literal", value: "" };
}
