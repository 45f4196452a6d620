import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { GenService, GenServiceMethods } from "@bufbuild/protobuf/codegenv2";
import { pino } from "pino";
import { parseAbsolutePath } from "../../../src/model/absolute-path.ts";
import { parseAgentId } from "../../../src/model/ids.ts";
import type { CallContext } from "../../../src/server/glue/call-context.ts";
import { bidi, clientStream, serverStream, unary, type Route } from "../../../src/server/glue/route.ts";
import { provenDoor } from "../../../src/server/glue/wiring.ts";
import { completeRoutes } from "../../../src/server/routes.ts";
import { startServer } from "../../../src/server/start-server.ts";

type In<M extends { input: DescMessage }> = MessageShape<M["input"]>;
type Out<M extends { output: DescMessage }> = MessageInitShape<M["output"]>;
type Shape<K extends string> = { methodKind: K; input: DescMessage; output: DescMessage };
type HandlerOf<M> =
  M extends Shape<"unary">
    ? (request: In<M>, context: CallContext) => Out<M> | Promise<Out<M>>
    : M extends Shape<"server_streaming">
      ? (request: In<M>, context: CallContext) => AsyncIterable<Out<M>>
      : M extends Shape<"client_streaming">
        ? (requests: AsyncIterable<In<M>>, context: CallContext) => Promise<Out<M>>
        : M extends Shape<"bidi_streaming">
          ? (requests: AsyncIterable<In<M>>, context: CallContext) => AsyncIterable<Out<M>>
          : never;

/** Handlers of some methods of a service; the others answer UNIMPLEMENTED. What they throw should be a Problem. */
export type Handlers<Methods extends GenServiceMethods> = { [K in keyof Methods]?: HandlerOf<Methods[K]> };

/** Pairs a generated service with handlers. */
export function mount<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
  handlers: Handlers<Methods>,
): Route[] {
  const given: Record<string, unknown> = handlers;
  return service.methods
    .filter((method) => given[method.localName] !== undefined)
    .map((method) => routeOf(method, given[method.localName] as never));
}

function routeOf(method: DescMethod, handler: never): Route {
  const routes: Record<DescMethod["methodKind"], () => Route> = {
    // A handler that throws at once must do so in its promise.
    unary: () =>
      unary(provenDoor, method as never, async (...args) => (handler as (...args: unknown[]) => never)(...args)),
    server_streaming: () => serverStream(provenDoor, method as never, handler),
    client_streaming: () => clientStream(provenDoor, method as never, handler),
    bidi_streaming: () => bidi(provenDoor, method as never, handler),
  };
  return routes[method.methodKind]();
}

/** A running server. */
export interface TestServer {
  readonly socket: string;
  readonly address: string;
  close(): Promise<void>;
}

/** Serves handlers through the real server on a unix socket in a fresh folder and on a loopback port, where every token is the agent `bot`'s. */
export async function startTestServer(...mounted: readonly Route[][]): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-clients-"));
  const socket = parseAbsolutePath(join(folder, "s.sock"));
  const bot = parseAgentId("bot");
  if (socket === undefined || bot === undefined) throw new Error("impossible");
  const server = await startServer({
    routes: completeRoutes(mounted.flat()),
    tokens: { authenticate: () => ({ agent: bot, tier: "full" }) },
    log: pino({ level: "silent" }),
    socket,
    tcp: { host: "127.0.0.1", port: 0, authentication: true },
  });
  return {
    socket,
    address: server.addresses[1] ?? "",
    async close() {
      await server.drain(0);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
