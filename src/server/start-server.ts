import type { ConnectionInjector, Server } from "@grpc/grpc-js";
import type { Logger } from "pino";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";
import { countCalls } from "./glue/active-calls.ts";
import type { Route } from "./glue/route.ts";
import { identifier, type ListenerKind } from "./interceptors/identify.ts";
import { listenOnSocket } from "./listen/listen-on-socket.ts";
import { listenOnTcp, type TcpListen } from "./listen/listen-on-tcp.ts";
import type { Listening } from "./listen/listening.ts";
import { connectionInjector } from "./listen/server-credentials.ts";
import { limitedServer } from "./listen/server-limits.ts";
import type { Tokens } from "./ports/people.ts";
import { type HoldLock, holdLock } from "./socket-lock.ts";
import { within } from "./within.ts";

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
  /** Told of the bytes of every message of a stream. */
  readonly streamed?: (bytes: number) => void;
  /** How the socket's lock is held; a file lock by default. */
  readonly holdLock?: HoldLock;
}

/** A server that listens. */
export interface RunningServer {
  /** As clients write them, the unix socket first. */
  readonly addresses: readonly string[];
  /**
   * Shuts down, once: takes no connections and no calls any more but health's, which says NOT_SERVING, lets calls finish for `graceMs` milliseconds, then cuts them and waits until
   * their handlers have cleaned up. Returns how many calls were cut.
   */
  drain(graceMs: number): Promise<number>;
}

/** Milliseconds that handlers of cut calls have to kill their commands and close their audit entries. */
const settleMs = 10_000;

interface Listener {
  readonly server: Server;
  readonly injector: ConnectionInjector;
  readonly listening: Listening;
}

/** Opens the listeners. @throws Problem `failed_precondition` where one cannot be had; then none stays open. */
export async function startServer(setup: ServerSetup): Promise<RunningServer> {
  const { routes, tokens, log, streamed = () => {} } = setup;
  const calls = countCalls();
  const draining = new AbortController();
  const listeners: Listener[] = [];

  // One grpc-js server a listener: what a caller may do without a token hangs on where he came in, never on what his connection looks like.
  function serve(kind: ListenerKind): Server {
    const server = limitedServer();
    const wiring = { log, calls, streamed, draining: draining.signal, identify: identifier(kind, tokens) };
    for (const route of routes) route.register(server, wiring);
    return server;
  }

  try {
    if (setup.socket !== undefined) {
      const server = serve("socket");
      const injector = connectionInjector(server, undefined);
      const accept = injector.injectConnection.bind(injector);
      const listening = await listenOnSocket(setup.socket, setup.holdLock ?? holdLock, accept);
      listeners.push({ server, injector, listening });
    }
    if (setup.tcp !== undefined) {
      const server = serve("tcp");
      const injector = connectionInjector(server, setup.tcp.tls);
      const accept = injector.injectConnection.bind(injector);
      const listening = await listenOnTcp(setup.tcp, accept);
      listeners.push({ server, injector, listening });
    }
    if (listeners.length === 0) throw new Problem("failed_precondition", "no listener is configured");
  } catch (error) {
    for (const each of listeners) close(each);
    throw error;
  }

  async function drain(graceMs: number): Promise<number> {
    const gone = listeners.map(({ listening }) => listening.stopAccepting());
    draining.abort(new Problem("unavailable", "the server is shutting down"));
    await within(graceMs, finish(gone));
    const cut = calls.count;
    // Not `forceShutdown`: without channelz grpc-js 1.14 does not know the sessions that it would have to destroy.
    for (const { injector } of listeners) injector.drain(0);
    await within(settleMs, calls.idle());
    for (const { listening } of listeners) listening.release();
    return cut;
  }

  async function finish(gone: readonly Promise<void>[]): Promise<void> {
    await calls.idle();
    // Only now: a connection that was told to go can no longer be pinged, which the end of a caller's input needs (see `half-close.ts`).
    // Its callback comes too early, since newer Nodes close the sessions first.
    for (const { server } of listeners) server.tryShutdown(() => {});
    await Promise.all(gone);
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

function close({ injector, listening }: Listener): void {
  void listening.stopAccepting();
  injector.drain(0);
  listening.release();
}
