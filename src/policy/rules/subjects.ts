import type { ReachEffect, RunEffect, UseEffect } from "../../model/effect.ts";
import { exhausted } from "../../model/exhausted.ts";
import { otherTexts } from "./other-texts.ts";

/** The texts of an effect that patterns are matched against. */
export interface Subjects {
  /** For deny and ask rules: every spelling, one hit is enough. */
  readonly strict: readonly string[];
  /** The wrappers' forms of a command, which strict rules see too. The same list object for all commands inside the same wrappers. */
  readonly aliases: readonly string[];
  /** For allow rules: only the canonical ones. */
  readonly loose: readonly string[];
  /** False where no `*` of an allow rule may stand for anything, because a word is not known. */
  readonly stars: boolean;
}

/** What text patterns see of a run, a reach or a use. */
export function subjectsOf(effect: RunEffect | ReachEffect | UseEffect): Subjects {
  switch (effect.kind) {
    case "run":
      return runSubjects(effect);
    case "reach":
      return reachSubjects(effect);
    case "use":
      return { strict: [effect.name], aliases: none, loose: [effect.name], stars: true };
    default:
      return exhausted(effect);
  }
}

const none: readonly string[] = [];

/** To a strict rule a program by its path, or in another spelling of the same command, is the same: `/usr/bin/git -C x push` is a `git push`. */
function runSubjects(effect: RunEffect): Subjects {
  const loose = [effect.text];
  const first = effect.argv[0] ?? "";
  const named =
    first !== effect.program && effect.text.startsWith(first)
      ? [`${effect.program}${effect.text.slice(first.length)}`]
      : none;
  const others = otherTexts(effect);
  const strict = named === none && others.length === 0 ? loose : [...loose, ...named, ...others];
  return { strict, aliases: effect.aliases ?? none, loose, stars: effect.dynamic !== true };
}

/** Host, host with port, address without scheme, and the address. An unknown host has no name that a pattern could know. */
function reachSubjects(effect: ReachEffect): Subjects {
  const { host, port, url } = effect;
  if (host === "*") return { strict: ["*"], aliases: none, loose: ["*"], stars: false };
  const shown = host.includes(":") ? `[${host}]` : host;
  const names = [host, `${shown}:${port}`];
  if (shown !== host) names.push(shown);
  if (url === undefined) return { strict: names, aliases: none, loose: names, stars: true };
  const bare = url.slice(url.indexOf("://") + 3);
  const texts = [...names, url, bare];
  const decoded = percentDecoded(url);
  const twice = percentDecoded(decoded);
  const others = [
    decoded,
    withoutEmptySegments(decoded),
    ...[decoded, twice, percentDecoded(twice)].map(leniently),
  ].filter((text, at, all) => text !== url && all.indexOf(text) === at);
  const strict = [...texts, ...others.flatMap((text) => [text, text.slice(text.indexOf("://") + 3)])];
  return { strict, aliases: none, loose: texts, stars: true };
}

/** Servers read `//admin` as `/admin`. The query stays as it is. */
function withoutEmptySegments(url: string): string {
  const path = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", path);
  const end = query < 0 ? url.length : query;
  return `${url.slice(0, path)}${url.slice(path, end).replaceAll(/\/{2,}/g, "/")}${url.slice(end)}`;
}

/** Servers that take `\` for `/`, narrow full-width forms of ASCII (U+FF01 to U+FF5E) and leave parameters out read `/x\admin;v=1//y` as `/x/admin/y`. */
function leniently(url: string): string {
  const path = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", path);
  const end = query < 0 ? url.length : query;
  const read = url
    .slice(path, end)
    .replaceAll(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll("\\", "/")
    .replaceAll(/;[^/]*/g, "");
  return withoutEmptySegments(`${url.slice(0, path)}${read}${url.slice(end)}`);
}

/** Servers read `/%61dmin` as `/admin`, and some `/%u0061dmin`. Bytes that are no UTF-8 stay as they are. */
function percentDecoded(url: string): string {
  return url
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    })
    .replaceAll(/%u([0-9a-f]{4})/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
