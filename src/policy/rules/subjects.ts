import type { ReachEffect, RunEffect, UseEffect } from "../../model/effect.ts";
import { exhausted } from "../../model/exhausted.ts";

/** The texts of an effect that patterns are matched against. */
export interface Subjects {
  /** For deny and ask rules: every spelling, one hit is enough. */
  readonly strict: readonly string[];
  /** For allow rules: only the canonical ones. */
  readonly loose: readonly string[];
  /** False where no `*` of an allow rule may stand for anything, because a word is not known. */
  readonly stars: boolean;
}

/** What text patterns see of a run, a reach or a use. */
export function subjectsOf(effect: RunEffect | ReachEffect | UseEffect): Subjects {
  switch (effect.kind) {
    case "run":
      return { strict: runTexts(effect), loose: [effect.text], stars: effect.dynamic !== true };
    case "reach":
      return reachSubjects(effect);
    case "use":
      return { strict: [effect.name], loose: [effect.name], stars: true };
    default:
      return exhausted(effect);
  }
}

/** A program by its path is the same program to a strict rule: `/usr/bin/git push` is a `git push`. */
function runTexts(effect: RunEffect): string[] {
  const texts = [effect.text, ...(effect.aliases ?? [])];
  const first = effect.argv[0] ?? "";
  if (first !== effect.program && effect.text.startsWith(first))
    texts.push(`${effect.program}${effect.text.slice(first.length)}`);
  return texts;
}

/** Host, host with port, address without scheme, and the address. An unknown host has no name that a pattern could know. */
function reachSubjects(effect: ReachEffect): Subjects {
  const { host, port, url } = effect;
  if (host === "*") return { strict: ["*"], loose: ["*"], stars: false };
  const shown = host.includes(":") ? `[${host}]` : host;
  const names = [host, `${shown}:${port}`];
  if (shown !== host) names.push(shown);
  if (url === undefined) return { strict: names, loose: names, stars: true };
  const bare = url.slice(url.indexOf("://") + 3);
  const texts = [...names, url, bare];
  return { strict: texts, loose: texts, stars: true };
}
