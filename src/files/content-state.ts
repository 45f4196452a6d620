import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { fileState } from "./file-state.ts";
import { wayOf } from "./way-of.ts";

/**
 * Which regular file it is and what it holds, as a text that is equal where file, content and rights are the same; links are followed. Where it holds more than `most` bytes or cannot be read, its
 * inode and times stand for it (`fileState`). `bytes`: how many were read. Does not wait for a pipe or a device.
 */
export function contentState(path: AbsolutePath, most: number): { readonly state: string; readonly bytes: number } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(wayOf(path), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const { dev, ino, mode, size } = fstatSync(descriptor);
    if ((mode & constants.S_IFMT) === constants.S_IFREG && size <= most) {
      // One more: a file that grows meanwhile is another.
      const content = Buffer.alloc(size + 1);
      const bytes = readWhole(descriptor, content);
      if (bytes === size) {
        const hash = createHash("sha256").update(content.subarray(0, bytes)).digest("hex");
        return { state: `${dev} ${ino} ${mode} sha256 ${hash}`, bytes };
      }
    }
  } catch {
    // What stands for it says why it cannot be read, or that it is not there.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
  return { state: fileState(path) ?? "no file", bytes: 0 };
}

function readWhole(descriptor: number, into: Buffer): number {
  let at = 0;
  for (let read = -1; read !== 0 && at < into.length; at += read)
    read = readSync(descriptor, into, at, into.length - at, at);
  return at;
}
