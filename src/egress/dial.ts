import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { parseAddress } from "./address.ts";
import { EgressProblem } from "./egress-problem.ts";
import { PinnedTarget } from "./guard.ts";
import type { Host } from "./host.ts";
import { openTunnel, type UpstreamProxy } from "./upstream-proxy.ts";

/** How a connection is opened. */
export interface DialOptions {
  readonly signal: AbortSignal;
  /** Milliseconds until a connection must stand. */
  readonly timeoutMs: number;
  /** The proxy through which every connection goes; undefined: none. */
  readonly upstream?: UpstreamProxy | undefined;
}

/** A connection that stands. */
export interface Dialled {
  readonly socket: Socket;
  /** The judged address that it leads to. */
  readonly address: string;
}

/** Milliseconds that one of several addresses may take before the next is tried, too (RFC 8305 says 250; a busy link needs more). */
const attemptMs = 1500;

/**
 * Opens a connection to a judged address, through the upstream proxy where there is one.
 * @throws EgressProblem `connect_failed`, `connect_timeout`, or the signal's reason
 */
export async function dial(pinned: PinnedTarget, options: DialOptions): Promise<Dialled> {
  const { upstream, signal, timeoutMs } = options;
  if (upstream === undefined) return connectTo(pinned, options);
  const { port, addresses } = PinnedTarget.read(pinned);
  const address = addresses[0]?.text ?? "";
  const { socket } = await connectTo(upstream.target, options);
  await openTunnel(socket, upstream, address, port, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  return { socket, address };
}

/**
 * Opens a TCP connection to a judged address. The only place that opens outbound sockets. It never resolves: Node's lookup is answered
 * with the judged addresses, and the address that was reached is checked against them.
 * @throws EgressProblem `connect_failed`, `connect_timeout`, or the signal's reason
 */
async function connectTo(pinned: PinnedTarget, { signal, timeoutMs }: DialOptions): Promise<Dialled> {
  const { host, port, addresses } = PinnedTarget.read(pinned);
  signal.throwIfAborted();
  const answers = addresses.map(({ text, family }) => ({ address: text, family }));
  const first = answers[0];
  if (first === undefined) throw new EgressProblem("dns_empty", `${host.text} has no address`);
  const socket = connect({
    host: host.text,
    port,
    allowHalfOpen: true,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    lookup: (_name, options, answer) => {
      if (options.all === true) answer(null, answers);
      else answer(null, first.address, first.family);
    },
  });
  await settled(
    socket,
    "connect",
    `${host.text}: no connection within ${timeoutMs} ms`,
    signal,
    timeoutMs,
    (error) =>
      new EgressProblem("connect_failed", `${host.text}:${port} could not be connected (${codeOf(error)})`, {
        cause: error,
      }),
  );
  const reached = parseAddress(socket.remoteAddress ?? "")?.text;
  if (reached === undefined || !addresses.some(({ text }) => text === reached)) {
    socket.destroy();
    throw new EgressProblem("connect_failed", `${host.text}: connected to an address that was not judged`);
  }
  return { socket, address: reached };
}

/**
 * Starts TLS on a dialled connection. The server's name and its certificate are checked against the judged host; HTTP/1.1 only, because one
 * HTTP/2 session would carry requests that nobody judged.
 * @throws EgressProblem `tls_error`, `connect_timeout`, or the signal's reason; the socket is destroyed then
 */
export async function startTls(
  socket: Socket,
  host: Host,
  { signal, timeoutMs, ca }: DialOptions & { readonly ca: readonly string[] | undefined },
): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    host: host.text,
    // A name indication may hold no address (RFC 6066, section 3).
    ...(host.kind === "name" ? { servername: host.text } : {}),
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    ...(ca === undefined ? {} : { ca: [...ca] }),
  });
  await settled(
    secure,
    "secureConnect",
    `${host.text}: no TLS session within ${timeoutMs} ms`,
    signal,
    timeoutMs,
    (error) => new EgressProblem("tls_error", `${host.text}: ${whyNoTls(codeOf(error))}`, { cause: error }),
  );
  return secure;
}

/** Waits for a socket's event; destroys the socket where it does not come. */
async function settled(
  socket: Socket,
  event: "connect" | "secureConnect",
  late: string,
  signal: AbortSignal,
  timeoutMs: number,
  failure: (error: unknown) => EgressProblem,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onError = (error: unknown) => reject(failure(error));
  const onClose = () => reject(failure(new Error("closed")));
  const onAbort = () => reject(signal.reason);
  const timer = setTimeout(() => reject(new EgressProblem("connect_timeout", late)), timeoutMs);
  socket.once(event, resolve).once("error", onError).once("close", onClose);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } catch (error) {
    // Errors that follow the first say nothing new; without a listener they would end the process.
    socket.on("error", () => undefined);
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    socket.off(event, resolve).off("error", onError).off("close", onClose);
  }
}

function whyNoTls(code: string): string {
  return code === "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL"
    ? "the server speaks no HTTP/1.1, and HTTP/2 is not spoken where each request is judged"
    : `TLS failed (${code})`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "closed";
}
