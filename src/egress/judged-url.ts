import { EgressProblem } from "./egress-problem.ts";
import { hostInUrl, type TargetUrl } from "./target-url.ts";

/** Characters that mean the same escaped and not (RFC 3986, section 6.2.2.2). */
const unreserved = /^[A-Za-z0-9._~-]$/;

/** A path that every server reads alike: no escape, no empty segment, none that begins with a dot. */
const plain = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?$/;

/** Servers that unescape more than once do it no more often than this. */
const mostUnescapings = 4;

/** A segment that leads upwards, or nowhere, for a server that ends it at a parameter, a query, a fragment, a NUL or a blank. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const dots = /^\.{1,2}(?:[;?#\x00-\x20].*)?$/s;

/** Bytes that are no UTF-8 and that some servers take for ASCII all the same: an overlong form (RFC 3629, section 3). */
const overlong = /[\xc0\xc1][\x80-\xbf]|\xe0[\x80-\x9f][\x80-\xbf]|\xf0[\x80-\x8f][\x80-\xbf]{2}/;

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
  if (plain.test(path)) return path;
  let bare = path;
  for (let round = 0; round < mostUnescapings; round += 1) {
    if (
      narrowed(bare)
        .split(/[/\\]/)
        .some((segment) => dots.test(segment))
    )
      throw new EgressProblem("bad_url", "url: its path would lead upwards once it is unescaped", { field: "url" });
    if (overlong.test(bare))
      throw new EgressProblem("bad_url", "url: its path holds an overlong escape", { field: "url" });
    const unescaped = bare.replaceAll(/%(?:u00)?([0-9a-f]{2})/gi, (_all, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
    // Nothing more will show: most paths have no escape.
    if (unescaped === bare) break;
    bare = unescaped;
  }
  return path
    .replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return unreserved.test(character) ? character : escape.toUpperCase();
    })
    .replaceAll(/\/{2,}/g, "/");
}

/** Full-width forms of ASCII (U+FF01 to U+FF5E), which some servers narrow: as UTF-8 bytes, and as `%uFF0E`. */
function narrowed(text: string): string {
  return text
    .replaceAll(/\xef\xbc[\x81-\xbf]/g, (bytes) => String.fromCharCode(bytes.charCodeAt(2) - 0x60))
    .replaceAll(/\xef\xbd[\x80-\x9e]/g, (bytes) => String.fromCharCode(bytes.charCodeAt(2) - 0x20))
    .replaceAll(/%uff([0-5][0-9a-f])/gi, (_all, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16) + 0x20),
    );
}
