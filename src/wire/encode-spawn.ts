import { encodeHeader } from "./encode-frame.ts";
import { frameType, headerBytes, maxSpawn, spawnFlag } from "./protocol.ts";
import { WireError } from "./wire-error.ts";

/** A command as init starts it. */
export interface SpawnRequest {
  readonly cwd: string;
  /** The program (a path, or a name that is looked for along PATH of `env`) and its arguments. */
  readonly argv: readonly string[];
  /** The whole environment, `NAME=value` each. */
  readonly env: readonly string[];
  /** False: standard input is /dev/null. */
  readonly stdin: boolean;
  /** Runs on a terminal of this size, in cells. */
  readonly pty?: { readonly columns: number; readonly rows: number };
  /** Output bytes that init may send before it is granted more. */
  readonly credit: number;
  readonly limits: SpawnLimits;
}

/** Limits of one command that init and its guard hold; 0: none of its own. */
export interface SpawnLimits {
  /** Of each process, as of setrlimit(2). */
  readonly openFiles: number;
  readonly fileBytes: number;
  /** Of the whole tree, measured ten times a second. */
  readonly processes: number;
  readonly memoryBytes: number;
  readonly cpuMicros: number;
}

/** No limits of the command's own. */
export const noLimits: SpawnLimits = { openFiles: 0, fileBytes: 0, processes: 0, memoryBytes: 0, cpuMicros: 0 };

const fixedBytes = 52;

/**
 * The whole frame that starts a command on a channel.
 * @throws WireError where a string holds a NUL or half a surrogate pair, or where all of it is too long: exact bytes or nothing.
 */
export function encodeSpawn(channel: number, request: SpawnRequest): Uint8Array {
  const strings = [request.cwd, ...request.argv, ...request.env];
  for (const text of strings) {
    if (text.includes("\0")) throw new WireError("a NUL in the command, its folder or its environment");
    if (!text.isWellFormed())
      throw new WireError("half a surrogate pair in the command, its folder or its environment");
  }
  const text = new TextEncoder().encode(`${strings.join("\0")}\0`);
  const length = fixedBytes + text.length;
  if (length > maxSpawn) throw new WireError(`command and environment take ${length} bytes, more than ${maxSpawn}`);
  const bytes = new Uint8Array(headerBytes + length);
  bytes.set(encodeHeader(frameType.spawn, channel, length));
  const view = new DataView(bytes.buffer, headerBytes);
  view.setUint32(0, (request.stdin ? spawnFlag.stdin : 0) | (request.pty === undefined ? 0 : spawnFlag.pty), true);
  view.setUint32(4, request.credit, true);
  view.setUint16(8, request.pty?.columns ?? 0, true);
  view.setUint16(10, request.pty?.rows ?? 0, true);
  view.setUint32(12, request.argv.length, true);
  view.setUint32(16, request.env.length, true);
  const { openFiles, processes, fileBytes, memoryBytes, cpuMicros } = request.limits;
  view.setUint32(20, openFiles, true);
  view.setUint32(24, processes, true);
  for (const [index, value] of [fileBytes, memoryBytes, cpuMicros].entries())
    view.setBigUint64(28 + 8 * index, BigInt(value), true);
  bytes.set(text, headerBytes + fixedBytes);
  return bytes;
}
