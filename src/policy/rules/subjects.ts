import type { ReachEffect, RunEffect, UseEffect } from "../../model/effect.ts";
import { exhausted } from "../../model/exhausted.ts";
import { withoutLeadingOptions } from "./leading-options.ts";

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

/** To a strict rule a program by its path, or with options before its subcommand, is the same: `/usr/bin/git -C x push` is a `git push`. */
function runTexts(effect: RunEffect): string[] {
  const texts = [effect.text, ...(effect.aliases ?? [])];
  const first = effect.argv[0] ?? "";
  if (first !== effect.program && effect.text.startsWith(first))
    texts.push(`${effect.program}${effect.text.slice(first.length)}`);
  const bare = withoutLeadingOptions(effect);
  if (bare !== undefined) texts.push(bare);
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
  const decoded = percentDecoded(url);
  const strict = decoded === url ? texts : [...texts, decoded, decoded.slice(decoded.indexOf("://") + 3)];
  return { strict, loose: texts, stars: true };
}

/** Servers read `/%61dmin` as `/admin`. Bytes that are no UTF-8 stay as they are. */
function percentDecoded(url: string): string {
  return url.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}
