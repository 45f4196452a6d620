import type { PowerShellPage, PowerShellScript } from "./powershell-script.ts";

/** A value that is known before the text runs. Numbers and truth values are the text that they print. */
export type Known =
  /** `listed`: it stands for all that a folder holds; `deep`: with everything below. */
  | { readonly kind: "text"; readonly text: string; readonly deep?: boolean; readonly listed?: boolean }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "table"; readonly entries: ReadonlyMap<string, Value> }
  | Block
  | { readonly kind: "type"; readonly name: string };

/** `{ … }`. */
export interface Block {
  readonly kind: "block";
  readonly page: PowerShellPage;
  readonly script: PowerShellScript;
  /** Where it starts and ends in its page. */
  readonly from: number;
  readonly to: number;
}

/** Undefined: not known. */
export type Value = Known | undefined;

/** Longest text, and most values of a list, that are followed. */
export const maxText = 65_536;
const maxItems = 8192;

/** Joins lists; undefined where that is too much to follow. */
export function appended(before: readonly Value[], more: readonly Value[]): Value {
  return before.length + more.length > maxItems ? undefined : { kind: "list", items: [...before, ...more] };
}

/** Replaces what a pattern finds; undefined where the result is too long to follow. */
export function replacedText(source: string, pattern: string | RegExp, by: (...found: string[]) => string): Value {
  let length = source.length;
  const done = source.replaceAll(pattern, (...found: string[]) => {
    const next = length > maxText ? "" : by(...found);
    length += next.length;
    return next;
  });
  return length > maxText ? undefined : text(done);
}

/** Makes a text. */
export function text(content: string): Known {
  return { kind: "text", text: content };
}

/** Nothing: `$null`, or a command that prints nothing. */
export const nothing: Known = { kind: "list", items: [] };

/** The values that a pipeline passes on for this one. */
export function itemsOf(value: Value): readonly Value[] {
  return value?.kind === "list" ? value.items : [value];
}

/** One value for several: a single one stays itself. */
export function gathered(values: readonly Value[]): Value {
  return values.length === 1 ? values[0] : { kind: "list", items: values };
}

/** The text that a value is in a string; undefined where a part of it is not known. */
export function textOf(value: Value): string | undefined {
  switch (value?.kind) {
    case "text":
      return value.text;
    case "list": {
      const texts = value.items.map(textOf);
      return texts.every((each) => each !== undefined) ? texts.join(" ") : undefined;
    }
    default:
      return undefined;
  }
}

/** Characters and items of a value, those of lists in it, too. */
export function weightOf(value: Value): number {
  if (value?.kind === "list") return value.items.reduce((sum, item) => sum + 1 + weightOf(item), 0);
  return value?.kind === "text" ? value.text.length : 0;
}

/** All texts of a value and of the lists in it; undefined for what is not known. */
export function textsOf(value: Value): readonly (string | undefined)[] {
  if (value?.kind === "list") return value.items.flatMap(textsOf);
  return [value?.kind === "text" ? value.text : undefined];
}

/** What counts as false for a switch (about_Booleans). */
export function isFalse(value: Value): boolean {
  const content = textOf(value);
  return content !== undefined && /^(false|0|)$/i.test(content);
}
