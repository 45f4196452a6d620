import type { Finding } from "../model/decision.ts";
import type { Effect, PathEffect, ReachEffect, RunEffect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import type { RuleDraft } from "../model/rule.ts";
import { openWords } from "./open-words.ts";
import { capabilityOf } from "./rules/capability.ts";
import { escapeGlob } from "./rules/escape-glob.ts";

/**
 * The rules that an "always" answer would write: one for each part that is open, the narrowest that is of use. Empty where one part has none, because the others
 * alone would not spare the next question.
 */
export function draftRules(open: readonly Finding[], effect: RuleDraft["effect"]): readonly RuleDraft[] {
  const drafts = new Map<string, RuleDraft>();
  for (const finding of open) {
    if (effect === "allow" && isNamedByRun(finding, open)) continue;
    const draft = draftAmong(finding, open, effect);
    if (draft === undefined) return [];
    drafts.set(`${draft.capability} ${draft.match}`, draft);
  }
  return [...drafts.values()];
}

/** True for what a rule about a run beside it lets pass, too: what the program hides, and a host that its words do not name. */
export function isNamedByRun({ effect }: Finding, open: readonly Finding[]): boolean {
  const runs = open.flatMap((finding) => (finding.effect.kind === "run" ? [finding.effect] : []));
  if (effect.kind === "reach") return effect.host === "*" && runs.length > 0;
  return effect.kind === "opaque" && effect.cause === "program" && runs.some(({ text }) => text === effect.text);
}

/** The rule for one of several parts: a command that hides something is spelled in full. */
export function draftAmong(
  finding: Finding,
  open: readonly Finding[],
  effect: RuleDraft["effect"],
): RuleDraft | undefined {
  const run = finding.effect.kind === "run" ? finding.effect : undefined;
  const hides = open.some((other) => other.effect.kind === "opaque" && other.effect.text === run?.text);
  return draftFor(finding, effect, hides);
}

/**
 * The rule for one part; `exact` keeps every word of a command. Undefined where no rule can settle it: it asks firmly, or its text has a part that a
 * pattern cannot spell.
 */
export function draftFor(finding: Finding, effect: RuleDraft["effect"], exact = false): RuleDraft | undefined {
  if (effect === "allow" && (finding.firm || deletesGranted(finding))) return undefined;
  // A rule about less than what must be mounted would not spare the next question.
  const opened = effect === "allow" && finding.opens?.whole === true ? finding.opens.root : undefined;
  const match = opened === undefined ? patternFor(finding.effect, exact || effect === "deny") : escapeGlob(opened);
  return match === undefined ? undefined : { capability: capabilityOf(finding.effect), match, effect };
}

/** True where all of a granted folder would be deleted: a rule about it would be leave to delete anything there, by whatever command, for good. */
function deletesGranted({ effect, scope }: Finding): boolean {
  return effect.kind === "delete" && !effect.exact && scope !== undefined && effect.path === `${scope.root}/**`;
}

function patternFor(effect: Effect, exact: boolean): string | undefined {
  switch (effect.kind) {
    case "run":
      return runPattern(effect, exact);
    case "read":
    case "write":
    case "delete":
      return pathPattern(effect);
    case "reach":
      return hostPattern(effect);
    case "use":
      return effect.name.includes("*") ? undefined : effect.name;
    case "opaque":
      return effect.cause === "program" && plain(effect.text) ? effect.text : undefined;
    default:
      return exhausted(effect);
  }
}

function runPattern(run: RunEffect, exact: boolean): string | undefined {
  if (run.dynamic === true) return undefined;
  const words = exact ? undefined : openWords(run);
  if (words !== undefined) return `${words.join(" ")} *`;
  return plain(run.text) ? run.text : undefined;
}

/** Text that, taken as a pattern, stands for itself alone. */
function plain(text: string): boolean {
  return text !== "" && !text.includes("*");
}

/** None for a path that is not UTF-8: kept in a file, the rule would name another. */
function pathPattern({ path, exact }: PathEffect): string | undefined {
  if (!path.isWellFormed()) return undefined;
  // A shell expands braces before it looks for files: what is left of them is meant literally.
  return exact ? escapeGlob(path) : path.replaceAll(/[{}]/g, String.raw`\$&`);
}

function hostPattern({ host, port }: ReachEffect): string | undefined {
  if (host === "*") return undefined;
  const shown = host.includes(":") ? `[${host}]` : host;
  return port === 443 ? host : `${shown}:${port}`;
}
