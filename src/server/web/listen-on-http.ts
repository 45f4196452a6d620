import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { isIP } from "node:net";
import { Problem } from "../../model/problem.ts";
import { isLoopback } from "../listen/listen-on-tcp.ts";
import { notHad, portOf } from "../listen/listening.ts";

/** Where the page is served. */
export interface WebListen {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM files of the certificate chain and its key. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** True where somebody has said that other machines may reach it. */
  readonly exposed: boolean;
  /** Further names by which browsers may call it, without the port. */
  readonly names: readonly string[];
}

/** An open HTTP listener. */
export interface HttpListening {
  readonly server: Server | TlsServer;
  readonly scheme: "http" | "https";
  readonly port: number;
  /** As a browser writes it. */
  readonly url: string;
  /** The Host headers that lead here. */
  readonly hosts: ReadonlySet<string>;
}

const maxConnections = 128;

/** A slow or endless request ends; a header that is no header is refused. */
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5000,
  insecureHTTPParser: false,
};

/**
 * Opens the page's port: on this machine alone, unless TLS is set and it is said to be exposed.
 * @throws Problem `failed_precondition`.
 */
export async function listenOnHttp(listen: WebListen, answer: RequestListener): Promise<HttpListening> {
  const { host, port, tls, exposed, names } = listen;
  const shown = `${bracketed(host)}:${port}`;
  if (!isLoopback(host) && (tls === undefined || !exposed))
    throw new Problem(
      "failed_precondition",
      `refusing to serve the page on ${shown}: beyond this machine, web.tls and web.exposed must both be set`,
    );
  const server = tls === undefined ? createServer(limits, answer) : withTls(tls, answer);
  server.maxConnections = maxConnections;
  server.maxHeadersCount = 64;
  server.on("clientError", (_error, socket) => void socket.destroy());
  const address = host === "localhost" ? "127.0.0.1" : host;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(notHad(`cannot serve the page on ${shown}`, cause)));
    server.listen({ host: address, port }, resolve);
  });
  server.removeAllListeners("error");
  server.on("error", () => {});
  const scheme = tls === undefined ? "http" : "https";
  const got = portOf(server);
  const own = isLoopback(host) ? ["127.0.0.1", "localhost", "[::1]"] : [];
  const callable = [bracketed(host), ...own, ...names.map(bracketed)].map((name) => name.toLowerCase());
  const suffix = got === (tls === undefined ? 80 : 443) ? "" : `:${got}`;
  return {
    server,
    scheme,
    port: got,
    url: `${scheme}://${names[0] ?? bracketed(address)}${suffix}/`,
    hosts: new Set(callable.map((name) => `${name}${suffix}`)),
  };
}

function withTls({ certFile, keyFile }: NonNullable<WebListen["tls"]>, answer: RequestListener): TlsServer {
  try {
    const pem = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    return createTlsServer({ ...limits, ...pem, minVersion: "TLSv1.2", handshakeTimeout: 10_000 }, answer);
  } catch (cause) {
    throw new Problem("failed_precondition", `${certFile} and ${keyFile} are no usable certificate and key`, { cause });
  }
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
