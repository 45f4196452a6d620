import type { ReachEffect } from "../../model/effect.ts";
import { subjectsOf } from "./subjects.ts";
import { matchesWords, parseWordPattern, type WordPattern } from "./word-pattern.ts";

/**
 * Whether an allow pattern really is about this host. `*` is any sequence, so as plain text `https://example.com*` would match `https://example.com.evil.test/`
 * and `*.example.com/*` would match `https://evil.test/x.example.com/`: the part of the pattern before its path must match the host and port alone.
 */
export function allowsReach(pattern: WordPattern, effect: ReachEffect): boolean {
  if (!subjectsOf(effect).loose.some((text) => matchesWords(pattern, text))) return false;
  if (effect.host === "*") return pattern.text === "*";
  const scheme = pattern.text.indexOf("://");
  const bare = scheme < 0 ? pattern.text : pattern.text.slice(scheme + 3);
  const slash = bare.indexOf("/");
  const authority = slash < 0 ? bare : bare.slice(0, slash);
  const host = effect.host.includes(":") ? `[${effect.host}]` : effect.host;
  const hosts = [effect.host, host, `${host}:${effect.port}`];
  if (scheme >= 0 && slash < 0 && authority.length > 1 && authority.endsWith("*"))
    return hosts.some((name) => matchesWords(parseWordPattern(authority.slice(0, -1)), name));
  return hosts.some((name) => matchesWords(parseWordPattern(authority), name));
}
