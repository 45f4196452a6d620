import type { OpaqueEffect, ReachEffect } from "../model/effect.ts";
import type { JudgedEffects } from "./judged-effects.ts";
import { rulesForInsides } from "./names-program.ts";
import type { Opinion } from "./opinion.ts";

/**
 * What cannot be seen asks, and where it cannot be decided it asks firmly. Only what a known program hides may pass, by a rule that names this program: the run with
 * the same text.
 */
export function opaqueOpinion(effect: OpaqueEffect, together: JudgedEffects): Opinion {
  if (effect.cause === "unread") return unreadOpinion(effect, together);
  if (effect.cause !== "program") return { verdict: "ask", rules: [], because: effect.why, firm: true };
  const owner = together.runOf(effect.text);
  const naming = owner === undefined ? [] : rulesForInsides(owner, together.indexes);
  if (naming.length === 0) return { verdict: "ask", rules: [], because: effect.why, firm: false };
  return { verdict: "allow", rules: naming, because: "a rule names this program", firm: false };
}

/** What was not looked at may be what a rule denies: no bound may make a question of that. */
function unreadOpinion({ why }: OpaqueEffect, { indexes }: JudgedEffects): Opinion {
  const rules = indexes.flatMap(({ denial }) => denial ?? []);
  const [first] = rules;
  if (first === undefined) return { verdict: "ask", rules, because: why, firm: true };
  const because = `${why}, and nobody can tell that rule ${first.id} does not deny the rest: ask for it in smaller commands`;
  return { verdict: "deny", rules, because, firm: true };
}

/**
 * A host that the words do not name, such as the remote of `git push`. The connection itself is judged when it is made; here it passes where a rule names every
 * program of the request that is not known to only read.
 */
export function unknownHostOpinion(effect: ReachEffect, together: JudgedEffects): Opinion | undefined {
  if (effect.host !== "*" || together.rulesNamingAll.length === 0) return undefined;
  const because = "a rule names this program, and each connection is judged when it is made";
  return { verdict: "allow", rules: together.rulesNamingAll, because, firm: false };
}
