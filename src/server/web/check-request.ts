import type { IncomingMessage } from "node:http";

/** What a request must look like to be looked at. */
export interface RequestRules {
  readonly scheme: "http" | "https";
  /** `HOST:PORT` by which this listener may be called, in lower case; the port is left out where it is the scheme's own. */
  readonly hosts: ReadonlySet<string>;
}

/** A status and why, or undefined where the request may go on. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Types that no HTML form can send. Where one of them is posted from another origin, the browser asks first, and nothing here answers that. */
const bodyTypes = /^application\/(?:connect\+)?(?:json|proto)\s*(?:;|$)/i;

/**
 * Refuses what does not come from the page itself.
 *
 * - The Host must be one of ours: a name of somebody else that was made to point here (DNS rebinding) is not.
 * - What changes something must come from our own origin, by Origin (RFC 6454) and by Fetch Metadata where the browser sends it.
 * - A visit from elsewhere may open the page, as a link does, and nothing beneath it.
 */
export function checkRequest(request: IncomingMessage, { scheme, hosts }: RequestRules): Refusal | undefined {
  const { headers, method, rawHeaders } = request;
  const hostHeaders = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  const host = headers.host?.toLowerCase();
  if (hostHeaders !== 1 || host === undefined || !hosts.has(host))
    return { status: 421, reason: "this name does not lead here" };
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined && origin.toLowerCase() !== `${scheme}://${host}`)
    return { status: 403, reason: "requests of other origins are refused" };
  if (method === "GET" || method === "HEAD") {
    const opens = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
    return site === undefined || site === "same-origin" || site === "none" || opens
      ? undefined
      : { status: 403, reason: "requests of other sites are refused" };
  }
  if (method !== "POST") return { status: 405, reason: "only GET, HEAD and POST are known here" };
  if (origin === undefined) return { status: 403, reason: "Origin is missing" };
  if (site !== undefined && site !== "same-origin")
    return { status: 403, reason: "requests of other sites are refused" };
  if (!bodyTypes.test(headers["content-type"] ?? ""))
    return { status: 415, reason: "the content type is not known here" };
  return undefined;
}
