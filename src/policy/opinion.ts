import type { Finding } from "../model/decision.ts";
import type { Effect } from "../model/effect.ts";
import type { Rule } from "../model/rule.ts";
import type { Scope } from "../model/scope.ts";
import { strictest, type Verdict } from "../model/verdict.ts";

/** What one ground says about one effect. */
export interface Opinion {
  readonly verdict: Verdict;
  readonly rules: readonly Rule[];
  readonly scope?: Scope;
  readonly because: string;
  /** See {@link Finding.firm}. */
  readonly firm: boolean;
}

/** The strictest opinion speaks; all that share its verdict are named. No opinion at all is a denial. */
export function combine(effect: Effect, opinions: readonly Opinion[]): Finding {
  const [only] = opinions;
  if (only !== undefined && opinions.length === 1) return spoken(effect, only, only.rules);
  const verdict = strictest(opinions.map((opinion) => opinion.verdict));
  const speaking = opinions.filter((opinion) => opinion.verdict === verdict);
  const first = speaking.find((opinion) => opinion.firm) ?? speaking[0];
  if (first === undefined) return { effect, verdict, rules: [], because: "nothing allows it", firm: true };
  return spoken(
    effect,
    first,
    speaking.flatMap((opinion) => opinion.rules),
  );
}

function spoken(effect: Effect, { verdict, because, firm, scope }: Opinion, rules: readonly Rule[]): Finding {
  return scope === undefined
    ? { effect, verdict, rules, because, firm }
    : { effect, verdict, rules, scope, because, firm };
}
