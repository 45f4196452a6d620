import { headOf, textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";

/** The options of a wrapper: letters and long names, told apart by what they take. */
export interface OptionSpec {
  /** Names that take the next word, or the rest of their own, as value. */
  readonly valued: ReadonlySet<string>;
  /** Those of them that take two words. */
  readonly twice: ReadonlySet<string>;
  /** Names that take no value, or only one that is glued to them. */
  readonly plain: ReadonlySet<string>;
}

/**
 * Reads the options of a wrapper from text: names separated by blanks, without dashes; a `:` behind a name: it takes a value, `::` two of them; a `?`: it may
 * have one glued to it. Names of one letter are short options.
 */
export function optionSpec(text: string): OptionSpec {
  const names = text.split(/\s+/).filter((name) => name !== "");
  return {
    valued: new Set(names.filter((name) => name.endsWith(":")).map((name) => name.replace(/:+$/, ""))),
    twice: new Set(names.filter((name) => name.endsWith("::")).map((name) => name.slice(0, -2))),
    plain: new Set(names.filter((name) => !name.endsWith(":")).map((name) => name.replace(/\?$/, ""))),
  };
}

/** One option as it was given. */
export interface GivenOption {
  readonly name: string;
  readonly value: Word | undefined;
}

/** The options before the first operand. */
export interface GivenOptions {
  readonly options: readonly GivenOption[];
  /** Index of the first word that is no option. */
  readonly end: number;
  /** An option that the wrapper is not known to have: it may or may not take the next word. */
  readonly strange: string | undefined;
}

/** Reads options until the first operand, as the getopt of a wrapper does. */
export function readOptions(words: readonly Word[], from: number, spec: OptionSpec): GivenOptions {
  const options: GivenOption[] = [];
  let strange: string | undefined;
  let at = from;
  while (at < words.length) {
    const word = words[at];
    const text = word === undefined ? "" : headOf(word);
    if (!/^-./.test(text)) break;
    at += 1;
    if (text === "--" && textOf(word) !== undefined) break;
    const read = text.startsWith("--") ? readLong(text, words[at], spec) : readShort(text, words[at], spec);
    options.push(...read.options);
    strange ??= read.strange;
    if (read.takesNext) at += read.options.some(({ name }) => spec.twice.has(name)) ? 2 : 1;
  }
  return { options, end: Math.min(at, words.length), strange };
}

interface Read {
  readonly options: GivenOption[];
  readonly takesNext: boolean;
  readonly strange: string | undefined;
}

function readLong(text: string, next: Word | undefined, spec: OptionSpec): Read {
  const cut = text.indexOf("=");
  const name = longName(text.slice(2, cut < 0 ? undefined : cut), spec);
  const valued = spec.valued.has(name);
  const value: Word | undefined =
    cut >= 0 ? { kind: "literal", value: text.slice(cut + 1) } : valued ? next : undefined;
  const strange = valued || spec.plain.has(name) ? undefined : text;
  return { options: [{ name, value }], takesNext: valued && cut < 0, strange };
}

/** GNU getopt accepts any unambiguous beginning of a long name. */
function longName(name: string, { valued, plain }: OptionSpec): string {
  if (valued.has(name) || plain.has(name)) return name;
  const matches = [...valued, ...plain].filter((full) => full.length > 1 && full.startsWith(name));
  return matches.length === 1 && matches[0] !== undefined ? matches[0] : name;
}

function readShort(text: string, next: Word | undefined, spec: OptionSpec): Read {
  // Some wrappers take whole words behind one dash (caffeinate -disu, find -L); a word that is known as such wins.
  if (text.length > 2 && spec.valued.has(text.slice(1)))
    return { options: [{ name: text.slice(1), value: next }], takesNext: true, strange: undefined };
  const options: GivenOption[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = text[at] ?? "";
    if (spec.valued.has(name)) {
      const glued = text.slice(at + 1);
      options.push({ name, value: glued === "" ? next : { kind: "literal", value: glued } });
      return { options, takesNext: glued === "", strange: undefined };
    }
    options.push({ name, value: undefined });
    if (!spec.plain.has(name)) return { options, takesNext: false, strange: text };
  }
  return { options, takesNext: false, strange: undefined };
}
