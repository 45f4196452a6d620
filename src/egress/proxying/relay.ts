import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Duplex, Transform } from "node:stream";

/** How long a relay may last. */
export interface RelayLimits {
  /** Milliseconds without a byte in either direction until both ends are closed. */
  readonly idleMs: number;
  /** Milliseconds until both ends are closed, busy or not. */
  readonly lifetimeMs: number;
}

/** Why a relay ended: both sides were done, a limit, the sidecar (`cut`), or an error of the check. */
export type RelayEnd =
  | { readonly kind: "closed" | "idle" | "lifetime" | "cut" }
  | { readonly kind: "refused"; readonly error: Error };

/**
 * Copies bytes both ways until both directions ended. What comes from inside goes through `check`. Each half-close is passed on, so a client
 * that sends its request and then closes its side still gets the answer. A reset of one side closes the other. Never rejects.
 */
export async function relay(
  inside: Duplex,
  upstream: Socket,
  check: Transform | undefined,
  limits: RelayLimits,
  signal: AbortSignal,
): Promise<RelayEnd> {
  let end: RelayEnd = { kind: "closed" };
  const stop = (why: RelayEnd) => {
    if (end.kind === "closed") end = why;
    inside.destroy();
    reset(upstream);
  };
  const lifetime = setTimeout(() => stop({ kind: "lifetime" }), limits.lifetimeMs);
  const onAbort = () => stop({ kind: "cut" });
  signal.addEventListener("abort", onAbort, { once: true });
  // A socket's timeout is an idle time over both directions.
  upstream.setTimeout(limits.idleMs, () => stop({ kind: "idle" }));
  // A reset stays one on the other side: an orderly end would make half a message look whole.
  const ends = Promise.all([closed(inside, () => reset(upstream)), closed(upstream, () => inside.destroy())]);
  if (check === undefined) inside.pipe(upstream);
  else {
    check.on("error", (error) => stop({ kind: "refused", error }));
    inside.pipe(check).pipe(upstream);
  }
  upstream.pipe(inside);
  if (signal.aborted) onAbort();
  await ends;
  clearTimeout(lifetime);
  signal.removeEventListener("abort", onAbort);
  return end;
}

function closed(stream: Duplex, resetOther: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onClose = () => {
    // A stream that ended in order in both directions lets the other one finish; a reset does not.
    if (!stream.readableEnded || !stream.writableFinished) resetOther();
    resolve();
  };
  stream.on("error", () => stream.destroy());
  if (stream.closed) onClose();
  else stream.once("close", onClose);
  return promise;
}

/** Ends a connection so that the other side cannot take it for an orderly end. TLS without its closing alert says the same as a reset (RFC 8446, section 6.1). */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
