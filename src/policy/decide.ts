import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Decision, Finding } from "../model/decision.ts";
import type { Effect, PathEffect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { Scope } from "../model/scope.ts";
import type { Tier } from "../model/subject.ts";
import { strictest } from "../model/verdict.ts";
import { defaultOpinion, readOnlyScopeOpinion } from "./default-opinion.ts";
import { invariantOpinions } from "./invariants.ts";
import { JudgedEffects } from "./judged-effects.ts";
import { opaqueOpinion, unknownHostOpinion } from "./opaque-opinions.ts";
import { combine, type Opinion } from "./opinion.ts";
import { ruleOpinions } from "./rule-opinions.ts";
import { isPathEffect } from "./rules/capability.ts";
import type { RuleIndex } from "./rules/rule-index.ts";
import { supposedFindings } from "./supposed-findings.ts";
import { ceilingOpinions } from "./tier-ceiling.ts";

/** An effect that the blocklist forbids, with its entry. */
export interface Blocked {
  readonly rule: Rule;
  readonly effect: Effect;
}

/** Everything that a decision depends on. */
export interface DecideWorld {
  /** Rules of all sources. */
  readonly rules: readonly RuleIndex[];
  /** Those that hold now. */
  readonly scopes: readonly Scope[];
  readonly tier: Tier;
  /** Sallyport's own folders. */
  readonly own: readonly AbsolutePath[];
  /** True where the sidecar itself would touch the files, false for a command in the sandbox. */
  readonly byFileService: boolean;
  /** What a command may touch for all that its words say; none where that is not known. */
  readonly supposed?: readonly PathEffect[] | undefined;
}

/** Judges effects: pure, and total. No effects at all is a denial; so is an effect whose judgement throws. */
export function decide(effects: readonly Effect[], blocked: readonly Blocked[], world: DecideWorld): Decision {
  const together = new JudgedEffects(effects, world.rules);
  const denied = new Set(blocked.map(({ effect }) => effect));
  const findings = blocked.map(blockedFinding);
  for (const effect of effects) if (!denied.has(effect)) findings.push(judgeEffect(effect, together, world));
  findings.push(...judgeSupposed(world));
  return { verdict: strictest(findings.map((finding) => finding.verdict)), findings };
}

function blockedFinding({ rule, effect }: Blocked): Finding {
  return { effect, verdict: "deny", rules: [rule], because: rule.because ?? `the blocklist forbids it`, firm: true };
}

function judgeEffect(effect: Effect, together: JudgedEffects, world: DecideWorld): Finding {
  try {
    return combine(effect, opinions(effect, together, world));
  } catch (cause) {
    const because = `it could not be judged: ${cause instanceof Error ? cause.message : "unknown failure"}`;
    return { effect, verdict: "deny", rules: [], because, firm: true };
  }
}

function judgeSupposed({ supposed = [], rules }: DecideWorld): Finding[] {
  try {
    return supposedFindings(supposed, rules);
  } catch (cause) {
    const because = `it could not be judged: ${cause instanceof Error ? cause.message : "unknown failure"}`;
    return supposed.slice(0, 1).map((effect) => ({ effect, verdict: "deny", rules: [], because, firm: true }));
  }
}

/** The grounds in the order of the design; the strictest wins whatever the order. */
function opinions(effect: Effect, together: JudgedEffects, world: DecideWorld): Opinion[] {
  const found = invariantOpinions(effect, world);
  const before = found.length;
  if (effect.kind === "opaque") found.push(opaqueOpinion(effect, together));
  else found.push(...ruleOpinions(effect, together));
  if (found.length === before) {
    const unknown = effect.kind === "reach" ? unknownHostOpinion(effect, together) : undefined;
    found.push(unknown ?? defaultOpinion(effect, world.scopes));
  }
  const held = isPathEffect(effect) ? readOnlyScopeOpinion(effect, world.scopes) : undefined;
  if (held !== undefined) found.push(held);
  found.push(...ceilingOpinions(effect, world.tier));
  return found;
}
