import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { SessionId } from "../model/ids.ts";
import type { InsideConnection } from "../model/runtime.ts";
import { EgressProblem } from "./egress-problem.ts";
import type { Client } from "./proxying/client.ts";
import { serveForward } from "./proxying/forward.ts";
import { InsideDuplex } from "./proxying/inside-duplex.ts";
import { defaultProxyLimits, type ProxyContext, type ProxyOptions } from "./proxying/proxy-options.ts";
import { endWith, writeRefusal } from "./proxying/refusal-reply.ts";
import { isSocks, serveSocks } from "./proxying/socks.ts";
import { takeFrom } from "./proxying/byte-taker.ts";
import { serveTunnel } from "./proxying/tunnel.ts";
import { asksInVain, serveUpgrade } from "./proxying/upgrade.ts";

/** The sandboxes' way out. It has no address: connections are handed to it. */
export interface Proxy {
  /** Takes over a connection. Whose it is, is what the runtime says, not what the client says. */
  readonly accept: (connection: InsideConnection) => void;
  /** Connections that are open. */
  readonly connections: number;
  /** Refuses new connections, waits for the open ones, and cuts what is left after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** A request that began. */
interface Begun {
  readonly client: Client;
  readonly watch: Watch;
}

/** Notes that a request began. Undefined, and the stream destroyed, where it is not ours or has `most` under way. */
type Begin = (stream: Duplex, most: number) => Begun | undefined;

/** Requests that one connection may have under way at a time: clients that pipeline are rare and modest. */
const maxPipelined = 8;

/** Makes the proxy. */
export function createProxy(options: ProxyOptions): Proxy {
  const cut = new AbortController();
  const limits = { ...defaultProxyLimits, ...options.limits };
  const open = new Map<InsideDuplex, Watch>();
  const tunnels = new WeakMap<Duplex, Client>();
  const context: ProxyContext = {
    ...options,
    limits,
    cut: cut.signal,
    takeOver: (stream, inside, tunnel) => {
      tunnels.set(stream, { inside, stream, tunnel });
      // The request for the tunnel is over; those in it count one by one.
      open.get(inside)?.leave();
      server.emit("connection", stream);
    },
  };
  const clientOf = (stream: Duplex): Client | undefined =>
    stream instanceof InsideDuplex ? { inside: stream, stream, tunnel: undefined } : tunnels.get(stream);
  const begin: Begin = (stream, most) => {
    const client = clientOf(stream);
    const watch = client === undefined ? undefined : open.get(client.inside);
    if (client === undefined || watch === undefined || watch.busy >= most) {
      stream.destroy();
      return undefined;
    }
    watch.enter();
    return { client, watch };
  };
  const server = httpServer(context, begin);
  let draining = false;
  return {
    accept: (connection) => {
      const { session } = connection;
      const objection = draining
        ? new EgressProblem("draining", "the proxy is shutting down")
        : (objectionToMore(open, session, limits.connectionsPerSession) ?? options.meter?.objection(session));
      if (objection !== undefined) {
        writeRefusal(new InsideDuplex(connection), objection, "");
        return;
      }
      const inside = new InsideDuplex(connection, (bytes) => options.meter?.add(session, bytes) ?? true);
      const watch = new Watch(inside, limits.headerMs);
      open.set(inside, watch);
      inside.once("close", () => {
        watch.stop();
        open.delete(inside);
      });
      unharmed(greet(inside, server, begin, context), inside);
    },
    get connections() {
      return open.size;
    },
    close: async (graceMs) => {
      draining = true;
      const gone = Promise.all([...open.keys()].map(closed));
      for (const [inside, watch] of open) if (watch.busy === 0) inside.destroy();
      const timer = setTimeout(() => {
        cut.abort();
        for (const inside of open.keys()) inside.destroy();
      }, graceMs);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Tells by the first byte which protocol the client speaks: SOCKS 4 and 5 begin with their version, HTTP with a letter. */
async function greet(inside: InsideDuplex, server: Server, begin: Begin, context: ProxyContext): Promise<void> {
  const bytes = takeFrom(inside);
  const first = await bytes.take(1);
  if (first === undefined) return void inside.destroy();
  if (isSocks(first)) {
    // SOCKS 4 cannot carry a name that is judged before it is resolved, and has no error that says more.
    if (first[0] === 4) inside.destroy();
    else await serveSocks(inside, bytes, context, () => void begin(inside, 1));
    return;
  }
  bytes.release();
  inside.unshift(first);
  server.emit("connection", inside);
}

/** An HTTP server that never listens; Node's parser is the strict one (RFC 9112: no bare LF, no folded lines). */
function httpServer(context: ProxyContext, begin: Begin): Server {
  const server = createServer({ maxHeaderSize: context.limits.headerBytes, insecureHTTPParser: false });
  // Node would drop the headers past this count without a word; framing counts them itself.
  server.maxHeadersCount = 0;
  /** The newest answer on a connection. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  const forward = ({ client, watch }: Begun, request: IncomingMessage, response: ServerResponse) => {
    answers.set(request.socket, response);
    response.once("close", () => watch.leave());
    unharmed(serveForward(request, response, client, context), request.socket);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const begun = begin(request.socket, maxPipelined);
    if (begun !== undefined) forward(begun, request, response);
  };
  server.on("request", onRequest);
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(417, { Connection: "close" }).end();
  });
  // A connection that changes its protocol can have no other request under way.
  server.on("connect", (request, socket, head) => {
    const begun = begin(socket, 1);
    if (begun !== undefined) unharmed(serveTunnel(request, begun.client, head, context), socket);
  });
  server.on("upgrade", (request, socket, head) => {
    const begun = begin(socket, 1);
    if (begun === undefined) return;
    if (asksInVain(request)) forward(begun, request, lastAnswerTo(request));
    else unharmed(serveUpgrade(request, begun.client, head, context), socket);
  });
  server.on("clientError", (error, socket) => {
    const answer = answers.get(socket);
    // An answer that began must not be followed by one that nobody asked for.
    if (answer?.headersSent === true) {
      if (answer.writableEnded) socket.resume();
      else socket.destroy();
      return;
    }
    const overflow = "code" in error && error.code === "HPE_HEADER_OVERFLOW";
    const status = overflow ? "431 Request Header Fields Too Large" : "400 Bad Request";
    endWith(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  return server;
}

/** An answer after which the connection ends: the parser that would read what follows has left it. */
function lastAnswerTo(request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(request.socket);
  response.once("finish", () => {
    response.detachSocket(request.socket);
    endWith(request.socket, "");
  });
  return response;
}

/** Whatever fails in one connection ends that connection, and never the sidecar. */
function unharmed(work: Promise<void>, stream: Duplex): void {
  work.catch(() => stream.destroy());
}

function objectionToMore(
  open: ReadonlyMap<InsideDuplex, Watch>,
  session: SessionId,
  most: number,
): EgressProblem | undefined {
  const held = [...open.keys()].filter((inside) => inside.session === session).length;
  return held < most ? undefined : new EgressProblem("limit_connections", `more than ${most} connections`);
}

/** Closes a connection that sends no complete header in time. Node's own timer runs only on a server that listens. */
class Watch {
  readonly #inside: InsideDuplex;
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  /** Requests under way. */
  busy = 0;

  constructor(inside: InsideDuplex, ms: number) {
    this.#inside = inside;
    this.#ms = ms;
    this.#start();
  }

  enter(): void {
    this.busy += 1;
    this.stop();
  }

  leave(): void {
    this.busy -= 1;
    if (this.busy === 0 && !this.#inside.destroyed) this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#timer = setTimeout(() => this.#inside.destroy(), this.#ms);
  }
}

function closed(inside: InsideDuplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (inside.closed) resolve();
  else inside.once("close", resolve);
  return promise;
}
