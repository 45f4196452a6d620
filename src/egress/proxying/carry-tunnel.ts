import { interceptTunnel } from "../intercepting/intercept-tunnel.ts";
import { refuseStray } from "../intercepting/stray-placeholder.ts";
import { failureOf } from "./admit.ts";
import type { Authority } from "./authority.ts";
import type { InsideDuplex } from "./inside-duplex.ts";
import type { RequestTrace } from "../request-line.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { reach } from "./reach.ts";
import { relay } from "./relay.ts";
import { SniCheck } from "./sni-check.ts";

/**
 * Carries a tunnel to `authority`, whichever protocol asked for it. Where its TLS is to end here, it is handed on to that. Otherwise it is admitted, judged, dialled, announced to the client once the connection stands, then relayed with its ClientHello checked.
 * Resolves when the tunnel is gone. @throws Problem where there is no connection; nothing was announced then
 */
export async function carryTunnel(
  inside: InsideDuplex,
  authority: Authority,
  context: ProxyContext,
  trace: RequestTrace,
  announce: () => void,
): Promise<void> {
  const { interception } = context;
  if (interception?.covers(inside.session, authority) === true) {
    trace.note({ host: authority.host.text, port: authority.port });
    await interceptTunnel(inside, authority, context, interception, trace, announce);
    return;
  }
  const started = Date.now();
  // No credential is for what is inside; its name may still be one that tells a placeholder to a DNS server.
  const check = (): void => refuseStray(authority.host.text, [], interception?.credentials ?? []);
  const { socket, admitted } = await reach(inside, authority, { via: "tunnel", check }, context, trace);
  announce();
  const end = await relay(inside, socket, new SniCheck(authority, context.encryptedHello), context.limits, context.cut);
  const facts = {
    cause: end.kind,
    bytesUp: socket.bytesWritten,
    bytesDown: socket.bytesRead,
    durationMs: Date.now() - started,
  };
  trace.end({ bytesUp: facts.bytesUp, bytesDown: facts.bytesDown }, end.kind === "refused" ? end.error : undefined);
  if (end.kind === "refused") admitted.end(failureOf(end.error));
  else admitted.end({ kind: "done", facts });
}
