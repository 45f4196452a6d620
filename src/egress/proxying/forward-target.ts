import type { IncomingMessage } from "node:http";
import { EgressProblem } from "../egress-problem.ts";
import { checkMethod } from "../fetching/request-headers.ts";
import { parseHost } from "../host.ts";
import { parseTargetUrl, type TargetUrl } from "../target-url.ts";

/**
 * The target of a forwarded request: an absolute http URL whose authority the Host header, where there is one, repeats.
 * @throws EgressProblem `bad_url`, `bad_scheme`, `bad_host`, `bad_method`; Problem `invalid_argument`
 */
export function forwardTarget(request: IncomingMessage): TargetUrl {
  try {
    checkMethod(request.method ?? "");
  } catch (error) {
    throw new EgressProblem("bad_method", `${request.method ?? ""} is refused`, { cause: error });
  }
  const text = request.url ?? "";
  if (!/^http:\/\//i.test(text))
    throw new EgressProblem(
      text.includes("://") ? "bad_scheme" : "bad_url",
      "this is a proxy: send an absolute http:// URL, or CONNECT for https",
    );
  const url = parseTargetUrl(text);
  const { host } = request.headers;
  if (host !== undefined && !repeats(url, host))
    throw new EgressProblem("bad_host", `the Host header names another host than ${url.host.text}`);
  return url;
}

/** True where a Host header means the URL's host and port. */
function repeats(url: TargetUrl, header: string): boolean {
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(header);
  return found !== null && parseHost(found[1] ?? "").text === url.host.text && Number(found[2] ?? 80) === url.port;
}
