import { EgressProblem } from "./egress-problem.ts";
import { hostInUrl, type TargetUrl } from "./target-url.ts";

/** Characters that mean the same escaped and not (RFC 3986, section 6.2.2.2). */
const unreserved = /^[A-Za-z0-9._~-]$/;

/** Servers that unescape more than once do it no more often than this. */
const mostUnescapings = 4;

/**
 * The URL as rules see it: what servers read alike is written alike. `%70` is `p`, escapes are in upper case, empty path segments are gone; the query stays as it is.
 * @throws EgressProblem `bad_url` where unescaping the path would make it lead upwards: no rule could tell where
 */
export function judgedUrl(url: TargetUrl): string {
  const cut = url.path.indexOf("?");
  const query = cut < 0 ? "" : url.path.slice(cut);
  const authority = url.text.slice(url.scheme.length + 3).split("/", 1)[0] ?? hostInUrl(url.host);
  return `${url.scheme}://${authority}${judgedPath(url)}${query}`;
}

/** The path of {@link judgedUrl}, without the query. @throws EgressProblem `bad_url` */
export function judgedPath(url: TargetUrl): string {
  const path = url.path.split("?", 1)[0] ?? "/";
  let bare = path;
  for (let round = 0; round < mostUnescapings; round += 1) {
    if (bare.split(/[/\\]/).some((segment) => /^\.{1,2}(;.*)?$/.test(segment)))
      throw new EgressProblem("bad_url", "url: its path would lead upwards once it is unescaped", { field: "url" });
    bare = bare.replaceAll(/%([0-9a-f]{2})/gi, (_all, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
  return path
    .replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return unreserved.test(character) ? character : escape.toUpperCase();
    })
    .replaceAll(/\/{2,}/g, "/");
}
