import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { credentials, type Client, Client as GrpcClient, type ChannelOptions } from "@grpc/grpc-js";
import { pino, type Logger } from "pino";
import { onTestFinished } from "vitest";
import { type AbsolutePath, parseAbsolutePath } from "../../src/model/absolute-path.ts";
import { type AgentId, parseAgentId } from "../../src/model/ids.ts";
import type { Tokens } from "../../src/server/ports/people.ts";
import { type RunningServer, type ServerSetup, startServer } from "../../src/server/start-server.ts";

/** The value, which the test's author knows to be there. */
export function sure<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error("missing");
  return value;
}

/** The `buf` of this project, wherever PATH leads. */
export const buf = fileURLToPath(new URL("../../node_modules/.bin/buf", import.meta.url));

/** A folder of the test's own, removed after it. */
export function temporaryFolder(): AbsolutePath {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return sure(parseAbsolutePath(folder));
}

/** A path in a folder. */
export function inside(folder: AbsolutePath, name: string): AbsolutePath {
  return sure(parseAbsolutePath(`${folder}/${name}`));
}

/** A log that keeps its lines. */
export function keptLog(level = "debug"): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  return { log: pino({ level }, { write: (line: string) => void lines.push(line) }), lines };
}

/** Tokens of a fixed table; `good` is the agent `bot`. */
export const tokens: Tokens = {
  authenticate: (token) => (token === "good" ? { agent: bot, tier: "operator" } : undefined),
};

/** The agent of the token `good`. */
export const bot: AgentId = sure(parseAgentId("bot"));

/** A server on a unix socket and a free TCP port of this machine, shut down after the test. */
export async function openServer(
  routes: ServerSetup["routes"],
  more: Partial<ServerSetup> = {},
): Promise<{ server: RunningServer; socket: string; tcp: string; lines: string[] }> {
  const { log, lines } = keptLog();
  const server = await startServer({
    routes,
    tokens,
    log,
    socket: inside(temporaryFolder(), "s.sock"),
    tcp: { host: "127.0.0.1", port: 0, authentication: true },
    ...more,
  });
  onTestFinished(async () => void (await server.drain(0)));
  const [socket, tcp] = server.addresses;
  return { server, socket: sure(socket), tcp: tcp ?? "", lines };
}

/** A client that is closed after the test. Each has a connection of its own. */
export function openClient(address: string, options: ChannelOptions = {}): Client {
  const client = new GrpcClient(address, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}
