import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { SallyportError } from "./sallyport-error.ts";

/** The environment that decides where the socket is. */
export interface SocketSurroundings {
  /** `$XDG_RUNTIME_DIR`. */
  readonly runtimeDirectory: string | undefined;
  readonly uid: number;
}

/**
 * Where the server listens when nobody says otherwise: `$XDG_RUNTIME_DIR/sallyport`, else `/run/user/UID/sallyport` where that runtime folder exists (XDG Base
 * Directory), else `/tmp/sallyport-UID`.
 */
export function defaultSocketPath({ runtimeDirectory, uid }: SocketSurroundings): string {
  if (runtimeDirectory?.startsWith("/") === true) return join(runtimeDirectory, "sallyport", "sallyport.sock");
  const system = `/run/user/${uid}`;
  const folder = existsSync(system) ? join(system, "sallyport") : `/tmp/sallyport-${uid}`;
  return join(folder, "sallyport.sock");
}

/**
 * Refuses a default socket in a folder that somebody else could have made: `/tmp` is everybody's, and a false server would receive every command.
 * A missing folder passes, connecting to it fails. @throws SallyportError `failed_precondition`
 */
export function assertOwnFolder(socket: string, uid: number): void {
  const folder = dirname(socket);
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o022) !== 0)
    throw new SallyportError(
      "failed_precondition",
      `${folder} is not a folder that only you can write to, so its socket is not trusted; name one with --socket`,
    );
}
