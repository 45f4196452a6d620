import type { OpaqueCause } from "../../../model/effect.ts";
import { optionSpec, type OptionSpec } from "./option-spec.ts";

/** How a program starts another command that its words name. */
export interface Wrapper {
  readonly options: OptionSpec;
  /** Fixed operands between the options and the command, such as the duration of timeout. */
  readonly operands: number;
  /** Options with which those operands are left out. */
  readonly operandsUnless: readonly string[];
  /** Operands like `NAME=value` before the command set its environment. */
  readonly assignments: boolean;
  /** `words`: the command starts as it stands; `shell`: its words are joined and read by sh. */
  readonly inner: "words" | "shell";
  /** Options that name the folder in which the command starts. */
  readonly chdir: readonly string[];
  /** Options whose value is a script for sh. */
  readonly script: readonly string[];
  /** Options with which the words of the command are joined and read by sh. */
  readonly joined: readonly string[];
  /** Options with which no command is started. */
  readonly without: readonly string[];
  /** Why the command asks even where the one inside would not. */
  readonly always: { readonly why: string; readonly cause: OpaqueCause } | undefined;
  /** True where options may stand behind the fixed operands, too. */
  readonly again: boolean;
  /** True where rules judge the wrapper's own form, because what it runs is not the program of that name; the blocklist still looks inside. */
  readonly opaqueInside: boolean;
  /** True where the shell itself starts the command, so that builtins work. */
  readonly inShell: boolean;
}

/** Names, separated by blanks, or by commas where they have a subcommand, with what they share. */
export type WrapperRow = readonly [names: string, wrapper: Wrapper];

type Extra = Partial<Omit<Wrapper, "options" | "always">> & { readonly always?: string };

/** One row of the table. `options`: see optionSpec. */
export function wrapper(options: string, { always, ...extra }: Extra = {}): Wrapper {
  return {
    options: optionSpec(options),
    operands: 0,
    operandsUnless: [],
    assignments: false,
    inner: "words",
    chdir: [],
    script: [],
    joined: [],
    without: [],
    again: false,
    inShell: false,
    opaqueInside: false,
    ...extra,
    always: always === undefined ? undefined : { why: always, cause: "program" },
  };
}
