import type { FetchIntent } from "../../model/intent.ts";
import { authorityOf, EgressProblem, refusal } from "../egress-problem.ts";
import { valuesOf, type Field } from "../field.ts";
import { parseTargetUrl, type TargetUrl } from "../target-url.ts";

/** Redirects that are followed at most. */
const maxRedirects = 5;

const followed: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** All that another origin is told of the caller's headers. Whatever is not listed may be a credential. */
const crossOrigin: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "accept-encoding",
  "user-agent",
  "range",
]);

/** What a response asks to be fetched next. */
export interface Redirect {
  readonly intent: FetchIntent;
  readonly url: TargetUrl;
}

/**
 * The request that a redirect asks for; undefined where the response is no redirect, or one without Location.
 * Methods and bodies follow RFC 9110, section 15.4, and the Fetch standard: only POST becomes GET on 301 and 302.
 * @throws EgressProblem `redirect_limit`, `redirect_body`, `redirect_target`, `downgrade`, `protocol_error`, `bad_*`
 */
export function redirectOf(
  request: FetchIntent,
  from: TargetUrl,
  status: number,
  headers: readonly Field[],
): Redirect | undefined {
  if (!followed.has(status)) return undefined;
  const locations = valuesOf(headers, "location");
  const location = locations[0];
  if (location === undefined) return undefined;
  if (locations.length > 1) throw new EgressProblem("protocol_error", `${from.host.text} sent two Location headers`);
  if (request.hop >= maxRedirects) throw new EgressProblem("redirect_limit", `more than ${maxRedirects} redirects`);
  const url = locate(location, from);
  if (from.scheme === "https" && url.scheme === "http")
    throw refusedRedirect("downgrade", url, "it leads from https to http");
  const toGet =
    (status === 303 && request.method !== "HEAD") || ((status === 301 || status === 302) && request.method === "POST");
  const body = toGet ? undefined : request.body;
  const sameOrigin = url.origin === from.origin;
  if (body !== undefined && !sameOrigin)
    throw refusedRedirect("redirect_body", url, "it would send the request's body to another origin");
  const kept = request.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return (sameOrigin || crossOrigin.has(lower)) && (body !== undefined || !lower.startsWith("content-"));
  });
  return {
    url,
    intent: {
      kind: "fetch",
      url: url.text + url.fragment,
      method: toGet ? "GET" : request.method,
      headers: kept,
      body,
      maxBytes: request.maxBytes,
      timeoutMs: request.timeoutMs,
      hop: request.hop + 1,
    },
  };
}

/** Location is a reference; servers write UTF-8 into it, parsers hand out Latin-1. */
function locate(location: string, from: TargetUrl): TargetUrl {
  try {
    const url = parseTargetUrl(Buffer.from(location, "latin1").toString("utf8"), from);
    return url.fragment === "" ? { ...url, fragment: from.fragment } : url;
  } catch (error) {
    if (!(error instanceof EgressProblem)) throw error;
    // The fault is the server's, not the caller's: an argument was never bad.
    throw new EgressProblem("redirect_target", `redirect from ${from.host.text} refused: ${error.message}`, {
      denial: denialOf(from, error.message),
    });
  }
}

function refusedRedirect(reason: "downgrade" | "redirect_body", url: TargetUrl, because: string): EgressProblem {
  return refusal(reason, {
    host: url.host.text,
    port: url.port,
    because: `the redirect to ${url.origin} was not followed: ${because}`,
    missing: "a request of its own for this URL",
    next: `request ${url.origin} directly if that is what you want`,
  });
}

function denialOf(from: TargetUrl, because: string) {
  return {
    effect: `follow a redirect from ${authorityOf(from.host.text, from.port)}`,
    ruleId: "egress.redirect_target",
    source: "hardcoded",
    because,
    missing: "a redirect to a plain http or https URL",
    next: "request the final URL directly",
  };
}
