import type { Unwrap } from "./socket-carrier.ts";
import { WireError } from "../wire/wire-error.ts";

/** Longest piece that an engine sends; real ones stay at 32 KiB. */
const maxPiece = 16 * 1024 * 1024;

/**
 * Takes an engine's attach stream apart (Docker Engine API, ContainerAttach, "Stream format"): pieces with a header of 8 bytes, the
 * stream's number and a big-endian length. Standard output carries the frames; what init says on standard error is handed to `onStderr`.
 */
export function demultiplex(onStderr: (bytes: Uint8Array) => void): Unwrap {
  const header = new Uint8Array(8);
  const view = new DataView(header.buffer);
  let held = 0;
  let left = 0;
  return (chunk, emit) => {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        header[held++] = chunk[at++] ?? 0;
        if (held < 8) continue;
        held = 0;
        left = view.getUint32(4);
        if ((header[0] !== 1 && header[0] !== 2) || left > maxPiece) throw new WireError("unreadable attach stream");
        continue;
      }
      const end = Math.min(chunk.length, at + left);
      const piece = chunk.subarray(at, end);
      left -= end - at;
      at = end;
      if (header[0] === 1) emit(piece);
      else onStderr(piece);
    }
  };
}
