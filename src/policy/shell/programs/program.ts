import type { SimpleCommand, Word } from "../simple-command.ts";
import type { Collector } from "./collector.ts";
import { optionTable, type Role } from "./option-table.ts";
import { parseOptions, type OptionStyle, type ParsedOptions } from "./parse-options.ts";
import { shown, textOf } from "./words.ts";

/** One start of a known program. */
export interface Call {
  /** Base name. */
  readonly name: string;
  /** The words behind the name. */
  readonly args: readonly Word[];
  readonly out: Collector;
  readonly command: SimpleCommand;
}

/** What a known program does with its words. */
export interface Program {
  readonly run: (call: Call) => void;
  /** True where no word is ever a path or an option that names one, so that unknown words do no harm. */
  readonly textOnly?: boolean;
  /** True where any word may name a file: one outside the folder in which it starts counts as read and written, as for a program in no table. */
  readonly takesPaths?: boolean;
}

/** Names, separated by blanks, with their program: one family of the table. */
export type Family = readonly (readonly [names: string, program: Program])[];

/** Reads the operands of a program once its options are told apart. */
export type Operands = (parsed: ParsedOptions, call: Call) => void;

/**
 * A program whose options are a table (see optionTable) and whose operands are either a function or roles in order, the last with `*`
 * standing for all that follow: `r*`, `rw`, `.r*`.
 */
export function program(options: string, operands: string | Operands, style: OptionStyle = "gnu"): Program {
  const table = optionTable(options);
  return {
    run(call) {
      const parsed = parseOptions(call.args, table, style);
      applyOptions(parsed, call);
      if (typeof operands === "string") applyOperands(parsed.operands, operands, call);
      else operands(parsed, call);
    },
  };
}

/** A program that only ever prints, waits or answers: no word of it names a file that it opens. */
export const quiet: Program = { run: () => {}, textOnly: true };

/** A program whose doing cannot be seen from its words. */
export function unseen(why: string, extra: Pick<Program, "takesPaths"> = {}): Program {
  return { run: ({ name, out }) => out.opaque(`${name}: ${why}`), ...extra };
}

/** Records the effects of the options that have a role, and every option that the table does not know. */
export function applyOptions(parsed: ParsedOptions, call: Call): void {
  for (const spelling of parsed.strange) call.out.opaque(`${call.name}: what the option ${spelling} does is not known`);
  for (const { option, value } of parsed.given) {
    if (value !== undefined) applyRole(option.role, value, call);
    else if (option.role === "x") call.out.opaque(`${call.name} ${option.name} runs something that is not seen here`);
  }
}

/** Records the effects of operands by roles in order. Operands past the last role are not expected: they ask. */
export function applyOperands(operands: readonly Word[], text: string, call: Call): void {
  const repeats = text.endsWith("*");
  const list = (repeats ? text.slice(0, -1) : text).split("");
  operands.forEach((word, index) => {
    const role = list[index] ?? (repeats ? list.at(-1) : undefined);
    if (role === undefined) call.out.opaque(`${call.name}: the operand ${shown(word)} is not expected`);
    else applyRole(role as Role, word, call);
  });
}

/** Records what a program does with one word. */
export function applyRole(role: Role, word: Word, { name, out }: Call): void {
  const dash = textOf(word) === "-";
  switch (role) {
    case ".":
      return;
    case "r":
      return dash ? undefined : out.read(word);
    case "R":
      return out.readTree(word);
    case "w":
      return out.write(word);
    case "u":
      return dash ? undefined : out.write(word);
    case "W":
      return out.writeTree(word);
    case "d":
      return out.remove(word);
    case "D":
      return out.removeTree(word);
    case "s":
      return dash ? undefined : out.suppose(word);
    case "x":
      return out.opaque(`${name} runs ${shown(word)}`);
    case "o":
      if (!dash) out.read(word);
      return out.opaque(`${name} takes further names from ${shown(word)}`, "dynamic");
  }
}
