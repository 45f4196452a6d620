import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigProblem } from "./config-fault.ts";

/** A configuration file as it was read. */
export interface ConfigText {
  readonly file: string;
  readonly text: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
}

/** Longest configuration file in bytes. */
export const maxConfigBytes = 4 * 1024 * 1024;

/**
 * Reads a configuration file below `root`. Undefined where there is none. A link may lead elsewhere below `root`, but not out of it: what protects the folder from
 * agents would not protect the other place.
 * @throws ConfigProblem where it is no regular file, too long, no UTF-8, unreadable, or where somebody other than its owner or root could have written it,
 * or read it where only the owner may.
 */
export function readConfigFile(
  file: string,
  root: string = dirname(file),
  readers: "anybody" | "owner" = "anybody",
): ConfigText | undefined {
  const bytes = readBytes(file, root, readers);
  return bytes === undefined ? undefined : configText(file, bytes);
}

/** The bytes of a configuration file as text. @throws ConfigProblem where they are no UTF-8. */
export function configText(file: string, bytes: Uint8Array): ConfigText {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw whole(file, "is not UTF-8");
  }
  return { file, text, hash: hashBytes(bytes) };
}

/** SHA-256 in hexadecimal. */
export function hashBytes(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function readBytes(file: string, root: string, readers: "anybody" | "owner"): Buffer | undefined {
  let descriptor: number;
  try {
    const real = realpathSync(file);
    const folder = realpathSync(root);
    if (!real.startsWith(`${folder}/`)) throw whole(file, `leads out of ${root}`);
    checkOwner(file, statSync(dirname(real)), "its folder");
    // Not blocking: a pipe in the file's place must not stop the start.
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (cause) {
    if (cause instanceof ConfigProblem) throw cause;
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")) {
      // Somebody meant rules to be there: that they are gone is no leave to do without them.
      if (isLink(file)) throw whole(file, "is a link that leads nowhere");
      return undefined;
    }
    throw whole(file, `cannot be read: ${cause instanceof Error ? cause.message : "unknown failure"}`);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw whole(file, "is not a regular file");
    if (stats.size > maxConfigBytes) throw whole(file, `is longer than ${maxConfigBytes} bytes`);
    checkOwner(file, stats, "it");
    if (readers === "owner" && (stats.mode & 0o077) !== 0) throw whole(file, "others may read it: chmod 600 it");
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

function checkOwner(file: string, { uid, mode }: { readonly uid: number; readonly mode: number }, what: string): void {
  if (uid !== 0 && uid !== process.getuid?.()) throw whole(file, `${what} belongs to another user`);
  if ((mode & 0o022) !== 0) throw whole(file, `others may write to ${what}: chmod go-w it`);
}

function whole(file: string, message: string): ConfigProblem {
  return new ConfigProblem([{ file, line: 0, column: 0, message }]);
}
