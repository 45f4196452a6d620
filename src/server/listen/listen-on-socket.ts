import { chmodSync, lstatSync, mkdirSync, statSync, unlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { type AbsolutePath, parentOf, rootPath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import type { HoldLock } from "../socket-lock.ts";
import { closeListener, listenAt, type Listening } from "./listening.ts";

/** Longest path of a unix socket in bytes (sun_path of unix(7), without its NUL). */
const maxSocketPath = 107;

/**
 * Opens the unix socket, for its owner alone: the folder is made with mode 0700, the socket with 0600. A socket that a killed server left
 * behind is removed, but only while the lock beside it proves that no other Sallyport runs and a connection attempt that nobody listens.
 * @throws Problem `failed_precondition` with the reason.
 */
export async function listenOnSocket(
  path: AbsolutePath,
  holdLock: HoldLock,
  accept: (socket: Socket) => void,
): Promise<Listening> {
  if (Buffer.byteLength(path) > maxSocketPath)
    throw new Problem("failed_precondition", `the socket's path is longer than ${maxSocketPath} bytes: ${path}`);
  secureFolder(parentOf(path));
  const lock = holdLock(`${path}.lock`);
  if (lock === undefined) throw new Problem("failed_precondition", `another Sallyport already serves ${path}`);
  try {
    await removeStale(path);
    const server = await listenAt({ path }, path, accept, ownerOnly);
    // Where the folder has a default ACL the umask does not count.
    chmodSync(path, 0o600);
    return {
      address: `unix:${path}`,
      stopAccepting: () => closeListener(server),
      release: () => lock.release(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The socket is bound within `listen`, before it returns: no moment at which others may connect. */
function ownerOnly(listen: () => void): void {
  const before = process.umask(0o177);
  try {
    listen();
  } finally {
    process.umask(before);
  }
}

function secureFolder(folder: AbsolutePath): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Problem("failed_precondition", `cannot make the socket's folder ${folder}`, { cause });
  }
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid?.())
    throw new Problem("failed_precondition", `the socket's folder ${folder} belongs to another user`);
  if ((mode & 0o022) !== 0)
    throw new Problem("failed_precondition", `others may write to the socket's folder ${folder}: chmod 700 it`);
  for (let above = parentOf(folder); ; above = parentOf(above)) {
    if ((statSync(above).mode & 0o1002) === 0o0002)
      throw new Problem("failed_precondition", `everybody may replace what is in ${above}, and with it the socket`);
    if (above === rootPath) return;
  }
}

async function removeStale(path: AbsolutePath): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Problem("failed_precondition", `${path} exists and is no socket`);
  if (await isServed(path)) throw new Problem("failed_precondition", `another program listens on ${path}`);
  unlinkSync(path);
}

/** True unless the kernel says that nobody listens: a doubt counts as somebody. */
function isServed(path: AbsolutePath): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = connect({ path });
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(true);
    });
    attempt.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "ECONNREFUSED"));
  });
}
