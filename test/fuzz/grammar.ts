import type { Random } from "./random.ts";

/** Rules of a grammar: alternatives in which `<name>` stands for another rule. Everything else is text. */
export type Grammar = Readonly<Record<string, readonly [string, ...string[]]>>;

/** How deep a text nests before only the shortest alternatives are taken. */
const maxDepth = 7;

/** A random text of a grammar's rule. */
export function generate(grammar: Grammar, rule: string, random: Random, depth = 0): string {
  const alternatives = grammar[rule];
  if (alternatives === undefined) throw new Error(`the grammar has no rule ${rule}`);
  const chosen = depth < maxDepth ? random.pick(alternatives) : alternatives[0];
  return chosen.replaceAll(/<([a-z]+)>/g, (_, name: string) => generate(grammar, name, random, depth + 1));
}

/** All rules that are named but not there, and rules that never end: faults of the grammar itself. */
export function grammarFaults(grammar: Grammar): string[] {
  const named = Object.values(grammar).flatMap((alternatives) =>
    alternatives.flatMap((text) => [...text.matchAll(/<([a-z]+)>/g)].map(([, name = ""]) => name)),
  );
  return [...new Set(named)].filter((name) => !(name in grammar));
}
