import { splitLine } from "../programs/program-call.ts";
import { withoutCarets } from "./cmd-reader.ts";
import { isUnknown } from "./expand-percents.ts";
import type { CmdNode } from "./cmd-script.ts";

/** What a loop goes over. */
export interface LoopItems {
  readonly items: readonly string[];
  /** The command whose lines are the items. */
  readonly command: string | undefined;
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
  const nothing: LoopItems = { items: [unknownItem], command: undefined, deep: false, endless: false };
  const lines = found("f");
  if (lines !== undefined) return { ...nothing, ...lineItems(set.trim(), lines) };
  if (found("l") !== undefined) return { ...nothing, ...countedItems(set) };
  const folder = found("r");
  // Without a wildcard /r names every folder below, whether such a file is there or not.
  const items = splitItems(set);
  if (folder === undefined) return { ...nothing, items };
  const base = (folder === "" ? "." : folder).replaceAll('"', "").replace(/\\$/, "");
  return { ...nothing, deep: true, items: items.map((item) => (item === "." ? `${base}\\*` : `${base}\\${item}`)) };
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
  return { items: [inner, splitLine(inner)[0] ?? ""].map((item) => (isUnknown(item) ? unknownItem : item)) };
}

function countedItems(set: string): Partial<LoopItems> {
  const [start = 0, step = 0, end = 0] = set.split(/[\s,;]+/).map(Number);
  const endless = step === 0 && start <= end;
  if (![start, step, end].every(Number.isSafeInteger) || step === 0) return { endless };
  const items: string[] = [];
  for (let at = start; (step > 0 ? at <= end : at >= end) && items.length < 4; at += step) items.push(`${at}`);
  return { items };
}
