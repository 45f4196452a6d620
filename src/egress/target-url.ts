import { EgressProblem } from "./egress-problem.ts";
import { parseHost, type Host } from "./host.ts";

/** A parsed and checked absolute URL. */
export interface TargetUrl {
  readonly scheme: "http" | "https";
  readonly host: Host;
  readonly port: number;
  /** `scheme://host:port`, canonical, with the port always written: equal for equal origins. */
  readonly origin: string;
  /** Path and query as they go on the wire. */
  readonly path: string;
  /** With `#`, or empty. Never sent. */
  readonly fragment: string;
  /** The whole URL, canonical, without the fragment. */
  readonly text: string;
}

/** Longest URL in characters. */
const maxUrlLength = 8192;

// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const control = /[\x00-\x1f\x7f]/;

/**
 * Parses an absolute http or https URL by the WHATWG rules, or a reference against `base`. Control characters are refused, not dropped as
 * the standard does, and so are a user name and a password.
 * @throws EgressProblem `bad_url`, `bad_scheme`, `bad_host` or `bad_port`
 */
export function parseTargetUrl(text: string, base?: TargetUrl): TargetUrl {
  if (text.length > maxUrlLength) throw bad(`it is longer than ${maxUrlLength} characters`);
  if (control.test(text)) throw bad("it holds a control character");
  const url = URL.parse(text, base?.text);
  if (url === null) throw bad("it is no absolute URL");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new EgressProblem(
      "bad_scheme",
      `url: scheme ${JSON.stringify(url.protocol.slice(0, 40))} is not http or https`,
      {
        field: "url",
      },
    );
  if (url.username !== "" || url.password !== "") throw bad("it holds a user name or password");
  const scheme = url.protocol === "http:" ? "http" : "https";
  const host = parseHost(url.hostname);
  const port = url.port === "" ? defaultPort(scheme) : Number(url.port);
  if (port === 0) throw new EgressProblem("bad_port", "url: 0 is no port", { field: "url" });
  const path = `${url.pathname}${url.search}`;
  const canonical = `${scheme}://${hostInUrl(host)}${url.port === "" ? "" : `:${port}`}${path}`;
  if (canonical.length > maxUrlLength) throw bad(`it is longer than ${maxUrlLength} characters`);
  return {
    scheme,
    host,
    port,
    origin: `${scheme}://${hostInUrl(host)}:${port}`,
    path,
    fragment: url.hash,
    text: canonical,
  };
}

/** The port that a URL without one means (RFC 9110, section 4.2). */
function defaultPort(scheme: "http" | "https"): number {
  return scheme === "http" ? 80 : 443;
}

/** The host as it stands in a URL and in the Host header: an IPv6 address in brackets. */
export function hostInUrl(host: Host): string {
  return host.text.includes(":") ? `[${host.text}]` : host.text;
}

function bad(why: string): EgressProblem {
  return new EgressProblem("bad_url", `url: ${why}`, { field: "url" });
}
