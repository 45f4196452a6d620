import type { Finding } from "../model/decision.ts";
import type { Effect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import type { TextSpan } from "./open-question.ts";

const mostMarks = 200;
/** Places that are looked at for all findings together: a text that repeats itself must not cost more. */
const mostLooks = 10_000;

/**
 * Where in the detail the parts stand that need the answer; both as they are shown. It helps to find them: what an effect calls otherwise than the text does (a
 * variable, a link) has no mark, and the findings name it all the same.
 */
export function questionMarks(detail: string, findings: readonly Finding[]): readonly TextSpan[] {
  const found: TextSpan[] = [];
  const budget = { looks: mostLooks };
  for (const { effect } of findings)
    for (const needle of needles(effect)) {
      const spans = occurrences(detail, needle, budget);
      found.push(...spans);
      if (spans.length > 0) break;
    }
  return merged(found).slice(0, mostMarks);
}

/** How a text may name an effect, the most telling first. */
function needles(effect: Effect): readonly string[] {
  switch (effect.kind) {
    case "run":
      return [effect.text, effect.argv.join(" "), effect.program];
    case "read":
    case "write":
    case "delete":
      return [effect.spelled ?? effect.path, effect.path, effect.path.slice(effect.path.lastIndexOf("/") + 1)];
    case "reach":
      return [effect.url ?? "", effect.host];
    case "use":
      return [effect.name];
    case "opaque":
      return [effect.text];
    default:
      return exhausted(effect);
  }
}

function occurrences(text: string, needle: string, budget: { looks: number }): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  if (needle.length < 2) return spans;
  for (let at = text.indexOf(needle); at !== -1 && budget.looks > 0; at = text.indexOf(needle, at + 1)) {
    budget.looks -= 1;
    const end = at + needle.length;
    if (!continues(text, at) && !continues(text, end)) spans.push({ start: at, end });
  }
  return spans;
}

/** True where a word goes on over this place. */
function continues(text: string, at: number): boolean {
  return /\w/.test(text[at - 1] ?? "") && /\w/.test(text[at] ?? "");
}

function merged(spans: readonly TextSpan[]): readonly TextSpan[] {
  const result: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start > last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}
