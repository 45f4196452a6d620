import { Buffer } from "node:buffer";
import { roomBytes, roomyBytes } from "../model/roomy-bytes.ts";

/** So much of what waits is gathered, however small a window is. Bytes. */
export const leastGathered = 16 * 1024;

/** Pieces that are so small together are gathered in a buffer of this size first: most commands say little. Bytes. */
const smallBytes = 4096;

/** Buffers that wait for other bytes; some are filled while others are sent. */
const mostSpare = 2;

/** The large buffers of one command's output, which come back when they were sent. */
export class OutputBuffers {
  /** Bytes of output that each takes. */
  readonly size: number;
  readonly #spare: ArrayBuffer[] = [];

  constructor(size: number) {
    this.size = size;
  }

  take(): ArrayBuffer {
    return this.#spare.pop() ?? roomyBuffer(this.size);
  }

  giveBack(buffer: ArrayBuffer): void {
    if (this.#spare.length < mostSpare) this.#spare.push(buffer);
  }
}

/** Output that waits for its reader: one piece, or several gathered. */
export class OutputSlot {
  readonly kind: "stdout" | "stderr";
  readonly #buffers: OutputBuffers;
  /** The one piece, until a second one comes. */
  readonly #first: Uint8Array;
  #length: number;
  #buffer: ArrayBuffer | undefined;

  /**
   * Pieces are gathered up to the size of the buffers, so that neither a hostile stream of single bytes nor a fast one costs an object and a message for each.
   */
  constructor(kind: "stdout" | "stderr", data: Uint8Array, buffers = new OutputBuffers(leastGathered)) {
    this.kind = kind;
    this.#first = data;
    this.#length = data.length;
    this.#buffers = buffers;
  }

  /** Appends a piece where there is room for it. Slots that are full hold at least half of what they could, so memory stays within twice the credit. */
  add(piece: Uint8Array): boolean {
    const { size } = this.#buffers;
    const length = this.#length + piece.length;
    if (piece.length * 2 > size || length > size) return false;
    this.#make(length).set(piece, this.#length);
    this.#length = length;
    return true;
  }

  /** All of it, called once, after the last `add`. Large output has room before it, so that whoever sends it need not copy it, and its buffer comes back. */
  take(): Uint8Array {
    const buffers = this.#buffers;
    if (this.#length >= leastGathered && this.#length <= buffers.size) this.#make(this.#length);
    const buffer = this.#buffer;
    if (buffer === undefined) return this.#first;
    const bytes = roomyBytes(buffer, this.#length);
    if (isLarge(buffer)) bytes.giveBack = () => buffers.giveBack(buffer);
    // The chunks of the stream that it was copied from.
    bytes.leftBehind = this.#length;
    return bytes;
  }

  /** The place for so many bytes, with what there is at its beginning. */
  #make(length: number): Uint8Array {
    let buffer = this.#buffer;
    if (buffer === undefined || buffer.byteLength < roomBytes + length) {
      const { size } = this.#buffers;
      const larger = length <= smallBytes && smallBytes < size ? roomyBuffer(smallBytes) : this.#buffers.take();
      const kept = buffer === undefined ? this.#first : new Uint8Array(buffer, roomBytes, this.#length);
      new Uint8Array(larger, roomBytes).set(kept);
      buffer = larger;
      this.#buffer = larger;
    }
    return new Uint8Array(buffer, roomBytes);
  }
}

function roomyBuffer(bytes: number): ArrayBuffer {
  return Buffer.allocUnsafeSlow(roomBytes + bytes).buffer;
}

function isLarge(buffer: ArrayBuffer): boolean {
  return buffer.byteLength > roomBytes + smallBytes;
}
