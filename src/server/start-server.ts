import { type ConnectionInjector, Server, ServerCredentials } from "@grpc/grpc-js";
import type { Logger } from "pino";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";
import { countCalls } from "./glue/active-calls.ts";
import type { Route } from "./glue/route.ts";
import { identifier, type ListenerKind } from "./interceptors/identify.ts";
import { listenOnSocket } from "./listen/listen-on-socket.ts";
import { listenOnTcp, type TcpListen } from "./listen/listen-on-tcp.ts";
import type { Listening } from "./listen/listening.ts";
import { serverCredentials } from "./listen/server-credentials.ts";
import { serverLimits } from "./listen/server-limits.ts";
import type { Tokens } from "./ports.ts";
import { type HoldLock, holdLock } from "./socket-lock.ts";

/** What a server is made of. */
export interface ServerSetup {
  /** From `routesOf`: the API, health and reflection. */
  readonly routes: readonly Route[];
  readonly tokens: Tokens;
  readonly log: Logger;
  /** Where the unix socket is to be; undefined: none. */
  readonly socket: AbsolutePath | undefined;
  /** Undefined: no TCP. */
  readonly tcp: TcpListen | undefined;
  /** How the socket's lock is held; a file lock by default. */
  readonly holdLock?: HoldLock;
}

/** A server that listens. */
export interface RunningServer {
  /** As clients write them, the unix socket first. */
  readonly addresses: readonly string[];
  /**
   * Shuts down, once: accepts nothing new, says NOT_SERVING, lets calls finish for `graceMs` milliseconds, then cuts them and waits until
   * their handlers have cleaned up. Returns how many calls were cut.
   */
  drain(graceMs: number): Promise<number>;
}

/** Milliseconds that handlers of cut calls have to kill their commands and close their audit entries. */
const settleMs = 10_000;

interface Listener {
  readonly server: Server;
  readonly listening: Listening;
}

/** Opens the listeners. @throws Problem `failed_precondition` where one cannot be had; then none stays open. */
export async function startServer(setup: ServerSetup): Promise<RunningServer> {
  const { routes, tokens, log } = setup;
  const calls = countCalls();
  const draining = new AbortController();
  const listeners: Listener[] = [];

  // One grpc-js server a listener: what a caller may do without a token hangs on where he came in, never on what his connection looks like.
  function open(kind: ListenerKind, credentials: ServerCredentials): { server: Server; injector: ConnectionInjector } {
    const server = new Server(serverLimits);
    const wiring = { log, calls, draining: draining.signal, identify: identifier(kind, tokens) };
    for (const route of routes) route.register(server, wiring);
    return { server, injector: server.createConnectionInjector(credentials) };
  }

  try {
    if (setup.socket !== undefined) {
      const { server, injector } = open("socket", ServerCredentials.createInsecure());
      const accept = injector.injectConnection.bind(injector);
      const listening = await listenOnSocket(setup.socket, setup.holdLock ?? holdLock, accept);
      listeners.push({ server, listening });
    }
    if (setup.tcp !== undefined) {
      const { server, injector } = open("tcp", serverCredentials(setup.tcp.tls));
      const listening = await listenOnTcp(setup.tcp, injector.injectConnection.bind(injector));
      listeners.push({ server, listening });
    }
    if (listeners.length === 0) throw new Problem("failed_precondition", "no listener is configured");
  } catch (error) {
    for (const each of listeners) close(each);
    throw error;
  }

  async function drain(graceMs: number): Promise<number> {
    for (const { listening } of listeners) listening.stopAccepting();
    draining.abort(new Problem("unavailable", "the server is shutting down"));
    const closed = Promise.all(listeners.map(({ server }) => shutDown(server))).then(() => calls.idle());
    await within(graceMs, closed);
    const cut = calls.count;
    for (const { server } of listeners) server.forceShutdown();
    await within(settleMs, calls.idle());
    for (const { listening } of listeners) listening.release();
    return cut;
  }

  let drained: Promise<number> | undefined;
  return {
    addresses: listeners.map(({ listening }) => listening.address),
    drain(graceMs) {
      drained ??= drain(graceMs);
      return drained;
    },
  };
}

function close({ server, listening }: Listener): void {
  listening.stopAccepting();
  server.forceShutdown();
  listening.release();
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => server.tryShutdown(() => resolve()));
}

/** Waits for `done`, but no longer than `ms`. */
async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
