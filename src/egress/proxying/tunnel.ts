import type { IncomingMessage } from "node:http";
import { EgressProblem } from "../egress-problem.ts";
import { parseAuthority, type Authority } from "./authority.ts";
import { carryTunnel } from "./carry-tunnel.ts";
import { framingOf } from "./framing.ts";
import type { Client } from "./client.ts";
import { RequestTrace } from "../request-line.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { writeRefusal } from "./refusal-reply.ts";

/**
 * Serves CONNECT (RFC 9110, section 9.3.6). The request target decides; the Host header is not looked at. 200 is sent once the connection
 * stands, so that a client sees 502 instead of a reset. Resolves when the tunnel is gone; never rejects.
 */
export async function serveTunnel(
  request: IncomingMessage,
  { inside, stream, tunnel }: Client,
  head: Buffer,
  context: ProxyContext,
): Promise<void> {
  const trace = new RequestTrace("connect", inside.session, context.onRequest);
  let authority: Authority | undefined;
  try {
    if (tunnel !== undefined) throw new EgressProblem("bad_method", "a tunnel in a tunnel is refused");
    authority = parseAuthority(request.url ?? "");
    // A body would be taken for the first bytes of the tunnel.
    if (framingOf(request).kind !== "none") throw new EgressProblem("bad_framing", "CONNECT has no body");
    await carryTunnel(inside, authority, context, trace, () => {
      inside.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) inside.unshift(head);
    });
  } catch (error) {
    trace.end({}, error);
    writeRefusal(stream, error, authority?.host.text ?? "");
  }
}
