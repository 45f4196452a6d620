import type { ParameterSpec } from "./cmdlet-table.ts";
import { isFalse, itemsOf, text, type Value } from "./value.ts";

/** A word of a command, with what it stands for. */
export interface Argument {
  readonly value: Value;
  /** The parameter that it names, in lower case, where it is `-Name` or `-Name:value`. */
  readonly parameter: string | undefined;
  /** True for `-Name:value`: `value` is what is behind the colon. */
  readonly glued: boolean;
  /** True for `@name`. */
  readonly splat: boolean;
}

/** What a command's words say to its parameters. */
export interface Bound {
  /** Values by the parameter's name. */
  readonly values: ReadonlyMap<string, readonly Value[]>;
  readonly switches: ReadonlySet<string>;
  /** Values by position for which the cmdlet has no parameter. */
  readonly rest: readonly Value[];
  /** Why the words are not all understood. */
  readonly why: string | undefined;
}

/** Gives words to parameters: by name or any beginning of one, then by position (about_Parameters). */
export function bindParameters(words: readonly Argument[], specs: readonly ParameterSpec[]): Bound {
  const values = new Map<string, Value[]>();
  const switches = new Set<string>();
  const rest: Value[] = [];
  let why: string | undefined;
  let pending: ParameterSpec | undefined;
  const give = (spec: ParameterSpec, value: Value): void => {
    const name = spec.names[0] ?? "";
    if (spec.takes !== "switch") values.set(name, [...(values.get(name) ?? []), value]);
    else if (value === undefined) why = "a switch is not known before it runs";
    else if (!isFalse(value)) switches.add(name);
  };
  const free: Value[] = [];
  for (const word of words.flatMap(splatted)) {
    if (word.splat) {
      why = "its parameters are not known before it runs";
      continue;
    }
    if (word.parameter === undefined || pending !== undefined) {
      if (pending === undefined) free.push(word.value);
      else give(pending, word.value);
      pending = undefined;
      continue;
    }
    const spec = specOf(word.parameter, specs);
    if (spec === undefined) {
      why = "a parameter is not known";
      if (word.glued) rest.push(word.value);
    } else if (word.glued) give(spec, word.value);
    else if (spec.takes === "switch") switches.add(spec.names[0] ?? "");
    else pending = spec;
  }
  const open = specs.filter((spec) => spec.positional && !values.has(spec.names[0] ?? ""));
  for (const [index, value] of free.entries()) {
    const spec = open[index];
    if (spec === undefined) rest.push(value);
    else give(spec, value);
  }
  return { values, switches, rest, why };
}

/** The parameter that a beginning of a name means. The whole name wins; then the order of the table. */
function specOf(name: string, specs: readonly ParameterSpec[]): ParameterSpec | undefined {
  return (
    specs.find((spec) => spec.names.includes(name)) ??
    specs.find((spec) => spec.names.some((full) => full.startsWith(name)))
  );
}

/** The words that a splatted table or list stands for (about_Splatting). */
function splatted(word: Argument): readonly Argument[] {
  if (!word.splat || word.value === undefined) return [word];
  const plain = { glued: false, splat: false, parameter: undefined };
  if (word.value.kind === "table")
    return [...word.value.entries].map(([parameter, value]) => ({ parameter, value, glued: true, splat: false }));
  return itemsOf(word.value).map((value) => {
    const flag = value?.kind === "text" ? /^-([a-z]\w*)$/i.exec(value.text)?.[1] : undefined;
    return flag === undefined ? { ...plain, value } : { ...plain, value: text(""), parameter: flag.toLowerCase() };
  });
}
