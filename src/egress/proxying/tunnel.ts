import type { IncomingMessage } from "node:http";
import { EgressProblem } from "../egress-problem.ts";
import { failureOf } from "./admit.ts";
import { parseAuthority, type Authority } from "./authority.ts";
import { framingOf } from "./framing.ts";
import type { InsideDuplex } from "./inside-duplex.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { reach } from "./reach.ts";
import { writeRefusal } from "./refusal-reply.ts";
import { relay } from "./relay.ts";
import { SniCheck } from "./sni-check.ts";

/**
 * Serves CONNECT (RFC 9110, section 9.3.6). The request target decides; the Host header is not looked at. 200 is sent once the connection
 * stands, so that a client sees 502 instead of a reset. Resolves when the tunnel is gone; never rejects.
 */
export async function serveTunnel(
  request: IncomingMessage,
  inside: InsideDuplex,
  head: Buffer,
  context: ProxyContext,
): Promise<void> {
  let authority: Authority | undefined;
  try {
    authority = parseAuthority(request.url ?? "");
    // A body would be taken for the first bytes of the tunnel.
    if (framingOf(request).kind !== "none") throw new EgressProblem("bad_framing", "CONNECT has no body");
    const started = Date.now();
    const { socket, admitted } = await reach(inside, authority, { via: "tunnel" }, context);
    const check = new SniCheck(authority);
    inside.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) inside.unshift(head);
    const end = await relay(inside, socket, check, context.limits, context.cut);
    const facts = {
      cause: end.kind,
      bytesUp: socket.bytesWritten,
      bytesDown: socket.bytesRead,
      durationMs: Date.now() - started,
    };
    if (end.kind === "refused") admitted.end(failureOf(end.error));
    else admitted.end({ kind: "done", facts });
  } catch (error) {
    writeRefusal(inside, error, authority?.host.text ?? "");
  }
}
