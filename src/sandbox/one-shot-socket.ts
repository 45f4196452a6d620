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

/** Listens in a new folder below `folder`, which only the sidecar's user may enter. Nobody can connect after the first. */
export async function openOneShotSocket(folder: string): Promise<OneShotSocket> {
  const own = await mkdtemp(join(folder, "s-"));
  const path = join(own, "stream");
  if (Buffer.byteLength(path) > maxSocketPath)
    throw new Problem("failed_precondition", `the runtime folder's path is too long for a socket: ${folder}`);
  const first = Promise.withResolvers<Socket>();
  first.promise.catch(() => {});
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    server.close();
    first.resolve(socket);
  });
  server.maxConnections = 1;
  server.on("error", first.reject);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  // The folder keeps others out; init connects as the workspace's owner, who may be somebody else.
  await chmod(path, 0o666);
  return {
    path,
    accepted: first.promise,
    close: async () => {
      server.close();
      first.reject(new Problem("unavailable", "the socket was closed before init came"));
      await rm(own, { recursive: true, force: true });
    },
  };
}
