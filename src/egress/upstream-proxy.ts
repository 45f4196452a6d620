import type { Socket } from "node:net";
import { EgressProblem, authorityOf } from "./egress-problem.ts";
import { guardConfigured, type PinnedTarget } from "./guard.ts";
import { parseHost } from "./host.ts";
import { takeFrom } from "./proxying/byte-taker.ts";

/** A proxy that stands between Sallyport and the world. */
export interface UpstreamProxy {
  readonly target: PinnedTarget;
  /** The value of Proxy-Authorization; undefined: it wants none. It goes to the proxy and nowhere else. */
  readonly authorization: string | undefined;
}

/** A user name has no colon, and neither has control characters (RFC 7617, section 2). */
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const loginShape = /^[^:\x00-\x1f\x7f]+:[^\x00-\x1f\x7f]*$/;

/** Bytes of a proxy's answer. */
const mostBytes = 16_384;

/**
 * Takes `http://ADDRESS:PORT`. An address, no name: nobody could say what it means tomorrow. It is judged like every other, with only itself opened, so no metadata service can be one.
 * `login` is `USER:PASSWORD` (RFC 7617), apart from the address, which may be shown.
 * @throws EgressProblem
 */
export function parseUpstreamProxy(text: string, login?: string): UpstreamProxy {
  const url = URL.parse(text);
  const port = Number(url?.port === "" ? 80 : url?.port);
  const host = url === null ? undefined : parseHost(url.hostname);
  if (url?.protocol !== "http:" || host?.kind !== "address" || `${url.pathname}${url.search}${url.username}` !== "/")
    throw new EgressProblem("bad_url", "egress.proxy: must be http://ADDRESS:PORT");
  if (login !== undefined && !loginShape.test(login))
    throw new EgressProblem("bad_header", "egress.proxy_login: must be a line USER:PASSWORD of the .env");
  const authorization = login === undefined ? undefined : `Basic ${Buffer.from(login, "utf8").toString("base64")}`;
  return { target: guardConfigured(host.address, port), authorization };
}

/**
 * Asks a connected proxy for a tunnel to an address that was judged (RFC 9110, section 9.3.6). It is told no name, so it has nothing to resolve and cannot land elsewhere by a lookup of its own.
 * Resolves once the tunnel stands; bytes that follow the answer stay in the socket. @throws EgressProblem `connect_failed`
 */
export async function openTunnel(
  socket: Socket,
  { authorization }: UpstreamProxy,
  address: string,
  port: number,
  signal: AbortSignal,
): Promise<void> {
  const authority = authorityOf(address, port);
  const onAbort = (): void => void socket.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  const login = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`);
  try {
    const status = await answerOf(socket);
    if (status === 407)
      throw new EgressProblem("connect_failed", "the upstream proxy wants a login, or another one (status 407)");
    if (status < 200 || status > 299)
      throw new EgressProblem("connect_failed", `the upstream proxy refused ${authority} (status ${status})`);
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The status of the answer; it is read to the end of its header and no further. */
async function answerOf(socket: Socket): Promise<number> {
  const bytes = takeFrom(socket);
  let head = "";
  while (!head.endsWith("\r\n\r\n")) {
    const byte = head.length < mostBytes ? await bytes.take(1) : undefined;
    if (byte === undefined) throw new EgressProblem("connect_failed", "the upstream proxy gave no answer");
    head += byte.toString("latin1");
  }
  bytes.release();
  return Number(/^HTTP\/1\.[01] (\d{3})[ \r]/.exec(head)?.[1] ?? 0);
}
