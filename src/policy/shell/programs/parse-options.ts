import type { Word } from "../simple-command.ts";
import type { Option, OptionTable } from "./option-table.ts";
import { dropHead, headOf, literal } from "./words.ts";

/** An option as it was given. */
export interface GivenOption {
  readonly option: Option;
  readonly value: Word | undefined;
}

/** The words of a program, told apart. */
export interface ParsedOptions {
  readonly given: readonly GivenOption[];
  /** The names of what was given: asked for again for every operand. */
  readonly names: ReadonlySet<string>;
  readonly operands: readonly Word[];
  /** Options and operands in the order in which they were written, for programs where it matters. */
  readonly sequence: readonly (GivenOption | Word)[];
  /** Spellings that the table does not know: what follows them may be a value. */
  readonly strange: readonly string[];
}

/**
 * How options are written. `gnu`: getopt_long(3), options may follow operands, long names may be cut short. `posix`: the first operand ends
 * the options. `words`: one dash before whole names, no clusters (find, openssl). `exact`: as `gnu`, but long names are not cut short.
 */
export type OptionStyle = "gnu" | "posix" | "words" | "exact";

/** Tells options, their values and operands apart. Unknown options are kept, never skipped in silence. */
export function parseOptions(words: readonly Word[], table: OptionTable, style: OptionStyle = "gnu"): ParsedOptions {
  const sequence: (GivenOption | Word)[] = [];
  const strange: string[] = [];
  let index = 0;
  const take = (): Word | undefined => words[index++];
  while (index < words.length) {
    const word = words[index++];
    if (word === undefined) break;
    const head = headOf(word);
    if (head === "--" && word.kind === "literal") {
      sequence.push(...words.slice(index));
      break;
    }
    if (!head.startsWith("-") || head === "-") {
      sequence.push(word);
      if (style !== "posix") continue;
      sequence.push(...words.slice(index));
      break;
    }
    const before = strange.length;
    if (head.startsWith("--") || style === "words") readLong(word, head, table, style, take, sequence, strange);
    else readCluster(word, head, table, take, sequence, strange);
    if (strange.length > before && style === "posix") {
      sequence.push(...words.slice(index));
      break;
    }
  }
  const operands = sequence.filter((entry): entry is Word => !isOption(entry));
  const given = sequence.filter(isOption);
  return { given, names: new Set(given.map(({ option }) => option.name)), operands, sequence, strange };
}

/** The values of an option, in the order in which they were given. */
export function valuesOf(parsed: ParsedOptions, name: string): readonly Word[] {
  return parsed.given.flatMap(({ option, value }) => (option.name === name && value !== undefined ? [value] : []));
}

/** The last value of an option: the one that counts. */
export function valueOf(parsed: ParsedOptions, ...names: readonly string[]): Word | undefined {
  return parsed.given.findLast(({ option, value }) => value !== undefined && names.includes(option.name))?.value;
}

/** True where one of the options was given. */
export function has(parsed: ParsedOptions, ...names: readonly string[]): boolean {
  return names.some((name) => parsed.names.has(name));
}

/** True for an option of a sequence, false for an operand. */
export function isOption(entry: GivenOption | Word): entry is GivenOption {
  return "option" in entry;
}

type Take = () => Word | undefined;

function readLong(
  word: Word,
  head: string,
  table: OptionTable,
  style: OptionStyle,
  take: Take,
  into: (GivenOption | Word)[],
  strange: string[],
): void {
  const dashes = head.startsWith("--") ? 2 : 1;
  const equals = head.indexOf("=");
  const name = head.slice(dashes, equals === -1 ? undefined : equals);
  const option = findLong(name, table, style);
  if (option === undefined || (word.kind !== "literal" && equals === -1)) {
    strange.push(head);
    return;
  }
  const glued = equals === -1 ? undefined : dropHead(word, equals + 1);
  into.push({ option, value: glued ?? (option.takes === "value" ? take() : undefined) });
}

function findLong(name: string, table: OptionTable, style: OptionStyle): Option | undefined {
  const exact = table.long.get(name) ?? (style === "words" && name.length === 1 ? table.short.get(name) : undefined);
  if (exact !== undefined || style !== "gnu" || name === "") return exact;
  const hits = new Set<string>();
  let found: Option | undefined;
  for (const [full, option] of table.long) {
    if (!full.startsWith(name)) continue;
    hits.add(option.name);
    found = option;
  }
  return hits.size === 1 ? found : undefined;
}

function readCluster(
  word: Word,
  head: string,
  table: OptionTable,
  take: Take,
  into: (GivenOption | Word)[],
  strange: string[],
): void {
  for (let at = 1; at < head.length; at += 1) {
    const letter = head.charAt(at);
    const option = table.short.get(letter);
    if (option === undefined && table.digits && /\d/.test(letter)) continue;
    if (option === undefined) {
      strange.push(`-${letter}`);
      return;
    }
    const rest = dropHead(word, at + 1);
    const isLast = at + 1 === head.length && word.kind === "literal";
    if (option.takes === "nothing") {
      into.push({ option, value: undefined });
      continue;
    }
    const value = !isLast ? rest : option.takes === "value" ? (take() ?? literal("")) : undefined;
    into.push({ option, value });
    return;
  }
  if (word.kind !== "literal") strange.push(head);
}
