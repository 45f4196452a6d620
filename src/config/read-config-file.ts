import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { ConfigProblem } from "./config-fault.ts";

/** A configuration file as it was read. */
export interface ConfigText {
  readonly file: string;
  readonly text: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
}

/** Longest configuration file in bytes. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Reads a configuration file. Undefined where there is none.
 * @throws ConfigProblem where it is no regular file, too long, no UTF-8, unreadable, or where somebody other than its owner or root could have written it.
 */
export function readConfigFile(file: string): ConfigText | undefined {
  const bytes = readBytes(file);
  if (bytes === undefined) return undefined;
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

function readBytes(file: string): Buffer | undefined {
  let descriptor: number;
  try {
    // Not blocking: a pipe in the file's place must not stop the start.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR"))
      return undefined;
    throw whole(file, `cannot be read: ${cause instanceof Error ? cause.message : "unknown failure"}`);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw whole(file, "is not a regular file");
    if (stats.size > maxBytes) throw whole(file, `is longer than ${maxBytes} bytes`);
    if (stats.uid !== 0 && stats.uid !== process.getuid?.()) throw whole(file, "belongs to another user");
    if ((stats.mode & 0o022) !== 0) throw whole(file, "others may write to it: chmod go-w it");
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function whole(file: string, message: string): ConfigProblem {
  return new ConfigProblem([{ file, line: 0, column: 0, message }]);
}
