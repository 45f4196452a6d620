import { createServer, type TLSSocket } from "node:tls";
import { EgressProblem } from "../egress-problem.ts";
import type { Authority } from "../proxying/authority.ts";
import type { InsideDuplex } from "../proxying/inside-duplex.ts";
import type { ProxyContext } from "../proxying/proxy-options.ts";
import type { RequestTrace } from "../request-line.ts";
import type { Interception } from "./interception.ts";

/**
 * Ends a tunnel's TLS at the proxy, as the host that the client wants, and hands the stream to the HTTP server: each request in it is decided like a forwarded one.
 * Nothing is asked and nothing is contacted for the tunnel itself. HTTP/1.1 only, which clients agree to by ALPN (RFC 7301).
 * Where TLS fails, its line says why and the stream is destroyed: nothing can be answered then. Where it does not, its requests have lines of their own.
 */
export async function interceptTunnel(
  inside: InsideDuplex,
  authority: Authority,
  context: ProxyContext,
  interception: Interception,
  trace: RequestTrace,
  announce: () => void,
): Promise<void> {
  const { host } = authority;
  const identity = await (await interception.authorityOf(inside.session)).identityFor(host);
  announce();
  try {
    const secure = await shakeHands(inside, identity, context.limits.connectMs, host.text);
    const { servername } = secure;
    if (typeof servername === "string" ? servername.toLowerCase() !== host.text : host.kind === "name")
      throw new EgressProblem("sni_mismatch", `the tunnel to ${host.text} was cut: TLS asks for another server`);
    inside.once("close", () => secure.destroy());
    secure.once("close", () => inside.destroy());
    context.takeOver(secure, inside, authority);
  } catch (error) {
    trace.end({}, error);
    inside.destroy();
  }
}

/** A server of its own for each connection: it never listens, and what it is given is the only one it will see. */
async function shakeHands(
  inside: InsideDuplex,
  identity: { readonly cert: string; readonly key: string },
  timeoutMs: number,
  host: string,
): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const server = createServer({
    ...identity,
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    handshakeTimeout: timeoutMs,
  });
  const failed = (why: string, cause?: unknown): void =>
    reject(new EgressProblem("tls_error", `${host}: TLS from inside failed (${why})`, { cause }));
  const onClose = (): void => failed("closed");
  server.once("secureConnection", resolve);
  server.once("tlsClientError", (error: Error) => failed("code" in error ? String(error.code) : "broken", error));
  inside.once("close", onClose);
  server.emit("connection", inside);
  return promise.finally(() => inside.off("close", onClose));
}
