import { splitLine } from "../programs/program-call.ts";
import { withoutCarets } from "./cmd-reader.ts";
import { isUnknown } from "./expand-percents.ts";
import type { CmdNode } from "./cmd-script.ts";

/** What a loop goes over. */
interface LoopItems {
  /** For each turn the value of its variable, and of those with the letters behind it. */
  readonly turns: readonly (readonly string[])[];
  /** The command whose lines are gone over, and how a line is cut into turns. */
  readonly command: string | undefined;
  readonly cut: (line: string) => readonly (readonly string[])[];
  /** True where it goes through all folders below. */
  readonly deep: boolean;
  /** True where it never ends. */
  readonly endless: boolean;
}

/** A value that is only known when the loop runs. */
const unknownItem = "\ue000?\ue001";

/** Reads the set of `for` (for /?): names, patterns, numbers, a text, or a command. */
export function loopItems({ switches, set }: CmdNode & { readonly kind: "for" }): LoopItems {
  const found = (letter: string): string | undefined =>
    switches
      .find((each) => each.toLowerCase().startsWith(`/${letter}`))
      ?.slice(2)
      .trim();
  const lines = found("f");
  const nothing: LoopItems = {
    turns: [[unknownItem]],
    command: undefined,
    cut: (line) => lineTurns(line, lines ?? ""),
    deep: false,
    endless: false,
  };
  if (lines !== undefined) return { ...nothing, ...lineItems(set.trim(), lines) };
  if (found("l") !== undefined) return { ...nothing, ...countedItems(set) };
  const folder = found("r");
  // Without a wildcard /r names every folder below, whether such a file is there or not.
  const items = splitItems(set);
  if (folder === undefined) return { ...nothing, turns: items.map((item) => [item]) };
  const base = (folder === "" ? "." : folder).replaceAll('"', "").replace(/\\$/, "");
  return { ...nothing, deep: true, turns: items.map((item) => [`${base}\\${item === "." ? "*" : item}`]) };
}

function splitItems(set: string): readonly string[] {
  return [...new Set((set.match(/"[^"]*"?|[^\s,;="]+/g) ?? []).map((item) => item.replaceAll('"', "")))];
}

function lineItems(set: string, options: string): Partial<LoopItems> {
  const back = /usebackq/i.test(options);
  const quote = set.charAt(0);
  const inner = set.replace(/^(["'`])(.*)\1$/s, "$2");
  if (inner === set) return {};
  if (quote === (back ? "`" : "'")) return { command: withoutCarets(inner) };
  if (quote !== (back ? "'" : '"')) return {};
  return { turns: lineTurns(inner, options) };
}

/** The whole line, and its tokens as the options cut it: the first variable may be any of them, those behind it the next ones. */
function lineTurns(line: string, options: string): readonly (readonly string[])[] {
  const delimiters = /delims=([^\s"]*)/i.exec(options)?.[1] ?? " \t";
  const tokens: string[] = [];
  let token = "";
  for (const character of `${line}${delimiters.charAt(0)}`) {
    if (!delimiters.includes(character)) token += character;
    else {
      if (token !== "") tokens.push(token);
      token = "";
    }
  }
  const few = tokens.slice(0, 16);
  const turns = [[line], few, ...few.map((each) => [each]), [splitLine(line)[0] ?? ""]];
  return turns.map((turn) => turn.map((item) => (isUnknown(item) ? unknownItem : item)));
}

function countedItems(set: string): Partial<LoopItems> {
  const [start = 0, step = 0, end = 0] = set.split(/[\s,;]+/).map(Number);
  const endless = step === 0 && start <= end;
  if (![start, step, end].every(Number.isSafeInteger) || step === 0) return { endless };
  const items: string[] = [];
  for (let at = start; (step > 0 ? at <= end : at >= end) && items.length < 4; at += step) items.push(`${at}`);
  return { turns: items.map((item) => [item]) };
}
