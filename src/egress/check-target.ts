import { parseHost, type Host } from "./host.ts";
import { judgedPath } from "./judged-url.ts";
import { parseTargetUrl } from "./target-url.ts";
import { parseAuthority } from "./proxying/authority.ts";

/** What a check judges. */
export interface CheckTarget {
  readonly host: Host;
  readonly port: number;
  /** The canonical URL; undefined where only a host was given. */
  readonly url: string | undefined;
}

/** What a host without a port is judged for. */
const defaultPort = 443;

/**
 * Reads a URL, `HOST:PORT`, a host or an address, each by the parser of its entrance: a URL as Fetch does, an authority as CONNECT does. A host with other than ASCII characters is read as in a URL.
 * @throws EgressProblem `bad_url`, `bad_scheme`, `bad_host`, `bad_port`
 */
export function parseCheckTarget(text: string): CheckTarget {
  if (text.includes("://") || isOpaqueUrl(text)) return ofUrl(text);
  if (isAuthority(text)) return { ...parseAuthority(text), url: undefined };
  if (!isAscii(text) && !/[/?#@\\:\s]/.test(text)) return { ...ofUrl(`https://${text}/`), url: undefined };
  return { host: parseHost(text), port: defaultPort, url: undefined };
}

function ofUrl(text: string): CheckTarget {
  const parsed = parseTargetUrl(text);
  // Fetch and proxy refuse a path that nobody can place: so does what says beforehand what they would do.
  judgedPath(parsed);
  const { host, port, text: url } = parsed;
  return { host, port, url };
}

/** `data:…`, `javascript:…`, `file:/…`, `about:`: a scheme without an authority. What follows the colon of an authority is digits, or meant to be. */
function isOpaqueUrl(text: string): boolean {
  return /^[a-z][a-z0-9+-]*:(?![0-9]+$)/i.test(text) && !/^localhost:/i.test(text) && !isIpv6(text);
}

function isAuthority(text: string): boolean {
  return text.startsWith("[") ? !text.endsWith("]") : /^[^:]*:[^:]*$/.test(text) && !isIpv6(text);
}

function isIpv6(text: string): boolean {
  return text.split(":").length > 2 && /^[0-9a-f:.]*(?:%.*)?$/i.test(text);
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII begins with the control characters
  return /^[\x00-\x7f]*$/.test(text);
}
