import { Buffer } from "node:buffer";
import { roomBytes, roomyBytes } from "../model/roomy-bytes.ts";

/** So much of what waits is gathered, however small a window is. Bytes. */
export const leastGathered = 16 * 1024;

/** Output that waits for its reader: one piece, or several gathered. */
export class OutputSlot {
  readonly kind: "stdout" | "stderr";
  readonly #gatherBytes: number;
  #data: Uint8Array;
  #buffer: ArrayBuffer | undefined;

  /** Pieces are gathered up to `gatherBytes`, so that neither a hostile stream of single bytes nor a fast one costs an object and a message for each. */
  constructor(kind: "stdout" | "stderr", data: Uint8Array, gatherBytes = leastGathered) {
    this.kind = kind;
    this.#data = data;
    this.#gatherBytes = gatherBytes;
  }

  get data(): Uint8Array {
    return this.#data;
  }

  /** Appends a piece where there is room for it. Slots that are full hold at least half of what they could, so memory stays within twice the credit. */
  add(piece: Uint8Array): boolean {
    const used = this.#data.length;
    if (piece.length * 2 > this.#gatherBytes || used + piece.length > this.#gatherBytes) return false;
    this.#buffer ??= this.#copy();
    new Uint8Array(this.#buffer, roomBytes).set(piece, used);
    // Whoever sends it need not copy it a second time.
    this.#data = roomyBytes(this.#buffer, used + piece.length);
    return true;
  }

  #copy(): ArrayBuffer {
    const { buffer } = Buffer.allocUnsafeSlow(roomBytes + this.#gatherBytes);
    new Uint8Array(buffer, roomBytes).set(this.#data);
    return buffer;
  }
}
