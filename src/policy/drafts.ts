import type { Finding } from "../model/decision.ts";
import type { Effect, PathEffect, ReachEffect, RunEffect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import type { RuleDraft } from "../model/rule.ts";
import { openWords } from "./open-words.ts";
import { capabilityOf } from "./rules/capability.ts";
import { escapeGlob } from "./rules/path-pattern.ts";

/**
 * The rules that an "always" answer would write: one for each part that is open, the narrowest that is of use. Empty where one part has none, because the others
 * alone would not spare the next question.
 */
export function draftRules(open: readonly Finding[], effect: RuleDraft["effect"]): readonly RuleDraft[] {
  const drafts = new Map<string, RuleDraft>();
  const runs = open.some((finding) => finding.effect.kind === "run");
  for (const finding of open) {
    // The rule that names the program lets it reach a host that its words do not name.
    if (effect === "allow" && runs && finding.effect.kind === "reach" && finding.effect.host === "*") continue;
    const draft = draftFor(finding, effect);
    if (draft === undefined) return [];
    drafts.set(`${draft.capability} ${draft.match}`, draft);
  }
  return [...drafts.values()];
}

/** The rule for one part; undefined where no rule can settle it: it asks firmly, or its text has a part that a pattern cannot spell. */
export function draftFor(finding: Finding, effect: RuleDraft["effect"]): RuleDraft | undefined {
  if (finding.firm && effect === "allow") return undefined;
  const match = patternFor(finding.effect, effect);
  return match === undefined ? undefined : { capability: capabilityOf(finding.effect), match, effect };
}

function patternFor(effect: Effect, verdict: RuleDraft["effect"]): string | undefined {
  switch (effect.kind) {
    case "run":
      return runPattern(effect, verdict);
    case "read":
    case "write":
    case "delete":
      return pathPattern(effect);
    case "reach":
      return hostPattern(effect);
    case "use":
      return effect.name.includes("*") ? undefined : effect.name;
    case "opaque":
      return effect.cause === "program" && verdict === "allow" && plain(effect.text) ? effect.text : undefined;
    default:
      return exhausted(effect);
  }
}

function runPattern(run: RunEffect, verdict: RuleDraft["effect"]): string | undefined {
  if (run.dynamic === true || !plain(run.text)) return undefined;
  const words = verdict === "allow" ? openWords(run) : undefined;
  return words === undefined ? run.text : `${words.join(" ")} *`;
}

/** Text that, taken as a pattern, stands for itself alone. */
function plain(text: string): boolean {
  return text !== "" && !text.includes("*");
}

function pathPattern({ path, exact }: PathEffect): string {
  // A shell expands braces before it looks for files: what is left of them is meant literally.
  return exact ? escapeGlob(path) : path.replaceAll(/[{}]/g, String.raw`\$&`);
}

function hostPattern({ host, port }: ReachEffect): string | undefined {
  if (host === "*") return undefined;
  const shown = host.includes(":") ? `[${host}]` : host;
  return port === 443 ? host : `${shown}:${port}`;
}
