import type { IncomingMessage } from "node:http";
import { EgressProblem, authorityOf } from "../egress-problem.ts";
import { refuseMethod } from "../fetching/request-headers.ts";
import { parseHost } from "../host.ts";
import { parseTargetUrl, type TargetUrl } from "../target-url.ts";
import type { Authority } from "./authority.ts";

/**
 * The target of a forwarded request, whose authority the Host header, where there is one, repeats: an absolute http URL, or inside of a tunnel whose TLS ends here
 * a path on the host that the tunnel is for.
 * @throws EgressProblem `bad_url`, `bad_scheme`, `bad_host`, `bad_method`; Problem `invalid_argument`
 */
export function forwardTarget(request: IncomingMessage, tunnel: Authority | undefined): TargetUrl {
  refuseMethod(request.method ?? "");
  const url = tunnel === undefined ? absoluteTarget(request.url ?? "") : targetIn(tunnel, request.url ?? "");
  const { host } = request.headers;
  if (host !== undefined && !repeats(url, host))
    throw new EgressProblem("bad_host", `the Host header names another host than ${url.host.text}`);
  return url;
}

function absoluteTarget(text: string): TargetUrl {
  if (!/^http:\/\//i.test(text))
    throw new EgressProblem(
      text.includes("://") ? "bad_scheme" : "bad_url",
      "this is a proxy: send an absolute http:// URL, or CONNECT for https",
    );
  return parseTargetUrl(text);
}

function targetIn({ host, port }: Authority, text: string): TargetUrl {
  if (!text.startsWith("/")) throw new EgressProblem("bad_url", "inside of a tunnel, send a path");
  return parseTargetUrl(`https://${authorityOf(host.text, port)}${text}`);
}

/** True where a Host header means the URL's host and port. */
function repeats(url: TargetUrl, header: string): boolean {
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(header);
  return (
    found !== null &&
    parseHost(found[1] ?? "").text === url.host.text &&
    Number(found[2] ?? (url.scheme === "http" ? 80 : 443)) === url.port
  );
}
