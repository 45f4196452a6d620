import type { BigIntStats } from "node:fs";

/** What a name stands for; `other` is a socket, a pipe or a device. */
export type FileKind = "file" | "folder" | "symlink" | "other";

/** What is known of one path. */
export interface FileInfo {
  /** The path below the listed folder in a list, the whole path elsewhere; bytes that are not UTF-8 as in path-bytes.ts. */
  readonly name: string;
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** Permission bits, 0 to 0o7777. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Last change of the content, RFC 3339 in UTC with nanoseconds. */
  readonly modifiedAt: string;
  /** Names that the same file has (hard links). */
  readonly links: number;
  /** Bytes on the disk: fewer than the size where it has holes. */
  readonly allocated: number;
  /** SHA-256 of the content, only where it was asked for. */
  readonly sha256?: Uint8Array;
}

/** Describes what a stat call found. */
export function infoOf(name: string, stats: BigIntStats): FileInfo {
  return {
    name,
    kind: kindOf(stats),
    size: Number(stats.size),
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    modifiedAt: rfc3339(stats.mtimeNs),
    links: Number(stats.nlink),
    // A block of stat(2) is 512 bytes on every file system.
    allocated: Number(stats.blocks) * 512,
  };
}

/** What a stat call found. */
export function kindOf(stats: BigIntStats): FileKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "symlink" : "other";
}

const nanosPerSecond = 1_000_000_000n;
/** Seconds that a Date can hold; file systems hold stranger ones. */
const maxSeconds = 8_640_000_000_000n;

function rfc3339(nanos: bigint): string {
  const rest = ((nanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  const seconds = (nanos - rest) / nanosPerSecond;
  const held = seconds > maxSeconds ? maxSeconds : seconds < -maxSeconds ? -maxSeconds : seconds;
  const whole = new Date(Number(held) * 1000).toISOString().replace(/\.\d+Z$/, "");
  return `${whole}.${rest.toString().padStart(9, "0")}Z`;
}
