import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Problem } from "../model/problem.ts";

/** Longest socket path in bytes (sun_path of unix(7), without its NUL). */
const maxSocketPath = 107;

/** A unix socket for exactly one connection. */
export interface OneShotSocket {
  readonly path: string;
  /** Resolves with the one connection. */
  readonly accepted: Promise<Socket>;
  /** Stops listening and removes it; the connection lives on. */
  close(): Promise<void>;
}

/**
 * Listens in a new folder below `folder`, which only the sidecar's user may enter. Nobody can connect after the first.
 * @throws Problem `failed_precondition`
 */
export async function openOneShotSocket(folder: string): Promise<OneShotSocket> {
  const first = Promise.withResolvers<Socket>();
  first.promise.catch(() => {});
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    server.close();
    first.resolve(socket);
  });
  server.maxConnections = 1;
  const own = await makeOwn(folder);
  const path = join(own, "stream");
  const close = async (): Promise<void> => {
    server.close();
    first.reject(new Problem("unavailable", "the socket was closed before init came"));
    await rm(own, { recursive: true, force: true });
  };
  try {
    if (Buffer.byteLength(path) > maxSocketPath) throw new Error("its path is too long");
    await once(server.listen(path), "listening");
    server.on("error", first.reject);
    // The folder keeps others out; init connects as the workspace's owner, who may be somebody else.
    await chmod(path, 0o666);
    return { path, accepted: first.promise, close };
  } catch (cause) {
    await close();
    throw noSocket(folder, cause);
  }
}

async function makeOwn(folder: string): Promise<string> {
  try {
    return await mkdtemp(join(folder, "s-"));
  } catch (cause) {
    throw noSocket(folder, cause);
  }
}

function noSocket(folder: string, cause: unknown): Problem {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Problem("failed_precondition", `the runtime folder ${folder} takes no socket: ${why}`, { cause });
}
