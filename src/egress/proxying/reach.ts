import type { Socket } from "node:net";
import type { ConnectIntent } from "../../model/intent.ts";
import { startDeadline } from "../deadline.ts";
import { dial, startTls } from "../dial.ts";
import { authorityOf, EgressProblem } from "../egress-problem.ts";
import { guard } from "../guard.ts";
import { failureOf, redeemFor, type AdmittedConnection } from "./admit.ts";
import type { Authority } from "./authority.ts";
import type { InsideDuplex } from "./inside-duplex.ts";
import type { RequestTrace } from "../request-line.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { reset } from "./relay.ts";

/** A connection to a judged target, and where its end is recorded. */
export interface Reached {
  readonly socket: Socket;
  readonly admitted: AdmittedConnection;
}

/** What a connection is for, beside host and port. */
export interface ReachHow extends Pick<ConnectIntent, "via" | "method" | "overridingMethod" | "url"> {
  /** True: TLS begins here, with the server's certificate verified. */
  readonly secure?: boolean;
  /** Looks at the request once more after it was admitted, so that a refusal is recorded. @throws Problem */
  readonly check?: () => void;
}

/**
 * The one way from a request of the sandbox to a connection: ask the gate, then resolve, judge and dial. Used by tunnels, forwarded requests
 * and upgrades alike, so that no path is less judged than another.
 * @throws Problem; the admission is ended then
 */
export async function reach(
  inside: InsideDuplex,
  authority: Authority,
  { secure = false, check, ...how }: ReachHow,
  context: ProxyContext,
  trace: RequestTrace,
): Promise<Reached> {
  const { limits } = context;
  // The proxy's own cut closes the connection from inside, so this hears of it, too.
  const gone = inside.left;
  trace.note({
    host: authority.host.text,
    port: authority.port,
    ...(how.method === undefined ? {} : { method: how.method }),
  });
  context.meter?.begin(inside.session);
  const intent: ConnectIntent = { kind: "connect", host: authority.host.text, port: authority.port, ...how };
  const place = authorityOf(authority.host.text, authority.port);
  const asking = startDeadline(
    gone,
    limits.admitMs,
    () => new EgressProblem("deadline", `${place}: nobody decided within ${limits.admitMs} ms`),
  );
  const admitted = await context.admit(inside.session, intent, asking.signal).finally(() => asking.clear());
  trace.note({
    decidedMs: trace.elapsedMs,
    ...(admitted.wouldRefuse === undefined ? {} : { wouldRefuse: admitted.wouldRefuse }),
  });
  const connecting = startDeadline(
    gone,
    limits.connectMs,
    () => new EgressProblem("connect_timeout", `${place}: no connection within ${limits.connectMs} ms`),
  );
  try {
    redeemFor(admitted, authority);
    check?.();
    const target = await guard(authority.host, authority.port, context, connecting.signal);
    const timing = { signal: connecting.signal, timeoutMs: limits.connectMs };
    const dialled = await dial(target, { ...timing, upstream: context.upstream });
    const socket = secure
      ? await startTls(dialled.socket, authority.host, { ...timing, ca: context.ca })
      : dialled.socket;
    trace.note({ connectedMs: trace.elapsedMs, address: dialled.address });
    cutWhenRevoked(admitted.revoked, socket, inside);
    return { socket, admitted };
  } catch (error) {
    admitted.end(failureOf(error));
    throw error;
  } finally {
    connecting.clear();
  }
}

/** Both ends are reset: an orderly end would make half a message look whole. */
function cutWhenRevoked(revoked: AbortSignal, socket: Socket, inside: InsideDuplex): void {
  const cut = () => {
    reset(socket);
    inside.destroy();
  };
  revoked.addEventListener("abort", cut, { once: true });
  socket.once("close", () => revoked.removeEventListener("abort", cut));
  if (revoked.aborted) cut();
}
