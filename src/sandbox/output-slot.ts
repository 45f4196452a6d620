import { Buffer } from "node:buffer";

/** Small pieces that wait are gathered up to this size, so that a hostile stream of single bytes costs no object each. */
const gatherBytes = 16 * 1024;

/** Output that waits for its reader: one piece, or several small ones gathered. */
export class OutputSlot {
  readonly kind: "stdout" | "stderr";
  #data: Uint8Array;
  #buffer: Buffer | undefined;

  constructor(kind: "stdout" | "stderr", data: Uint8Array) {
    this.kind = kind;
    this.#data = data;
  }

  get data(): Uint8Array {
    return this.#data;
  }

  /** Appends a piece where both are small. Slots that are full hold at least half of what they could, so memory stays within twice the credit. */
  add(piece: Uint8Array): boolean {
    const used = this.#data.length;
    if (piece.length * 2 > gatherBytes || used + piece.length > gatherBytes) return false;
    this.#buffer ??= this.#copy();
    this.#buffer.set(piece, used);
    this.#data = this.#buffer.subarray(0, used + piece.length);
    return true;
  }

  #copy(): Buffer {
    const buffer = Buffer.allocUnsafeSlow(gatherBytes);
    buffer.set(this.#data);
    return buffer;
  }
}
