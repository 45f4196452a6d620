import type { Effect } from "../../../src/model/effect.ts";
import type { ShellAnalysis } from "../../../src/policy/shell/shell-analysis.ts";

/** The paths of some kinds of effect, each once, sorted. */
export function pathsOf({ effects }: ShellAnalysis, ...kinds: readonly Effect["kind"][]): readonly string[] {
  const paths = effects.flatMap((effect) => ("path" in effect && kinds.includes(effect.kind) ? [effect.path] : []));
  return [...new Set<string>(paths)].sort();
}

/** Hosts with their ports, sorted. */
export function hostsOf({ effects }: ShellAnalysis): readonly string[] {
  return effects.flatMap((effect) => (effect.kind === "reach" ? [`${effect.host}:${effect.port}`] : [])).sort();
}

/** Why more may happen than is listed. A program that is in no table is not meant: the corpus uses one as a mere place-holder. */
export function unseen({ effects }: ShellAnalysis): readonly string[] {
  return effects.flatMap((effect) =>
    effect.kind === "opaque" && effect.why !== "what this program does is not known"
      ? [`${effect.cause}: ${effect.why}`]
      : [],
  );
}

/** True where every effect is one that runs without a question by default: a read-only run, or a read inside /work. */
export function isSilent({ blocked, effects }: ShellAnalysis): boolean {
  const fine = (effect: Effect): boolean =>
    effect.kind === "run" ? effect.readOnly === true : effect.kind === "read" && /^\/work(\/|$)/.test(effect.path);
  return blocked.length === 0 && effects.length > 0 && effects.every(fine);
}
