import type { ServiceFetch } from "../clients/surface/service-fetch.ts";
import { startDeadline } from "../egress/deadline.ts";
import { EgressProblem } from "../egress/egress-problem.ts";
import { type Answer, exchange } from "../egress/fetching/exchange.ts";
import { guard, guardConfigured, type PinnedTarget } from "../egress/guard.ts";
import type { FetcherOptions } from "../egress/fetcher.ts";
import { parseTargetUrl, type TargetUrl } from "../egress/target-url.ts";

/** What a surface's way out is made of: the egress room's own parts. */
export type SurfaceFetchParts = Pick<FetcherOptions, "resolve" | "rules" | "ca" | "upstream">;

/** Bytes of an answer that are read. */
const maxAnswerBytes = 4 * 1024 * 1024;
const connectTimeoutMs = 10_000;

/**
 * The way out of one surface: to the origin that the settings name, through guard and dialler, and nowhere else. An address that they name is open by being named; a name
 * must still lead to public addresses, or to those in `egress.allow`. No redirects, no pool. @throws EgressProblem for a URL that is none
 */
export function surfaceFetch(root: string, parts: SurfaceFetchParts): ServiceFetch {
  const service = parseTargetUrl(root);
  return async ({ url: text, headers, body, signal, timeoutMs }) => {
    const url = parseTargetUrl(text);
    if (url.origin !== service.origin) throw new EgressProblem("host_denied", "not the service that the settings name");
    const deadline = startDeadline(signal, timeoutMs);
    try {
      const target = await targetOf(url, parts, deadline.signal);
      const fields = Object.entries({ "user-agent": "sallyport", ...headers });
      const answer = await exchange({ target, url, method: "POST", headers: fields, body }, deadline, {
        connectTimeoutMs,
        ca: parts.ca,
        upstream: parts.upstream,
        headerTimeoutMs: timeoutMs,
        idleTimeoutMs: timeoutMs,
      });
      try {
        const named = answer.headers.toReversed().map(([name, value]) => [name.toLowerCase(), value] as const);
        return { status: answer.status, headers: new Map(named), body: await wholeBody(answer) };
      } finally {
        await answer.close();
      }
    } finally {
      deadline.clear();
    }
  };
}

function targetOf({ host, port }: TargetUrl, parts: SurfaceFetchParts, signal: AbortSignal): Promise<PinnedTarget> {
  if (host.kind === "address") return Promise.resolve(guardConfigured(host.address, port));
  return guard(host, port, { resolve: parts.resolve, rules: { ...parts.rules, ports: [port] } }, signal);
}

async function wholeBody({ wire }: Answer): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of wire) {
    size += chunk.length;
    if (size > maxAnswerBytes)
      throw new EgressProblem("too_large", `the answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
