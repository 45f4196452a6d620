import { BlockList, isIP, type Socket } from "node:net";
import { Problem } from "../../model/problem.ts";
import { closeListener, listenAt, type Listening, portOf } from "./listening.ts";

/** Where to listen on TCP. */
export interface TcpListen {
  /** An address, `localhost` or another name of this machine. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM files of the server's certificate chain and its key. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** True where tokens are configured, so that somebody can prove who he is. */
  readonly authentication: boolean;
}

/**
 * Opens a TCP listener: on this machine alone, unless TLS and authentication are set.
 * @throws Problem `failed_precondition`.
 */
export async function listenOnTcp(options: TcpListen, accept: (socket: Socket) => void): Promise<Listening> {
  const { host, port, tls, authentication } = options;
  const shown = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
  if (!isLoopback(host) && (tls === undefined || !authentication))
    throw new Problem(
      "failed_precondition",
      `refusing to listen on ${shown}: beyond this machine, TLS and authentication must both be set`,
    );
  // Not left to the resolver, whose answer for `localhost` is configuration.
  const address = host === "localhost" ? "127.0.0.1" : host;
  const server = await listenAt({ host: address, port }, shown, accept);
  return {
    address: isIP(address) === 6 ? `[${address}]:${portOf(server)}` : `${address}:${portOf(server)}`,
    stopAccepting: () => closeListener(server),
    release: () => {},
  };
}

/** True for `localhost` and the loopback addresses. Any other name counts as reachable: what it resolves to can change. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const family = isIP(host);
  if (family === 0) return false;
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}
