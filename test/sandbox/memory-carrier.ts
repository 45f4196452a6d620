import type { Carrier } from "../../src/sandbox/carrier.ts";
import { frameType } from "../../src/wire/protocol.ts";
import { frameBytes } from "../wire/frames.ts";

/** A carrier whose other end is the test: it plays init, also a hostile one. */
export class MemoryCarrier implements Carrier {
  readonly sent: Uint8Array[] = [];
  backlog = 0;
  ended: string | undefined;
  #onBytes: (chunk: Uint8Array) => number = (chunk) => chunk.length;
  #onEnd: (reason: string) => void = () => {};

  send(bytes: Uint8Array): void {
    this.sent.push(bytes);
  }

  start(onBytes: (chunk: Uint8Array) => number, onEnd: (reason: string) => void): void {
    this.#onBytes = onBytes;
    this.#onEnd = onEnd;
  }

  destroy(reason: string): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    this.#onEnd(reason);
  }

  /** What init writes. As in the real carrier, a throw of the reader ends it. */
  receive(...frames: Uint8Array[]): void {
    try {
      let rest: Uint8Array = Buffer.concat(frames);
      while (rest.length > 0) rest = rest.subarray(this.#onBytes(rest));
    } catch (error) {
      this.destroy(error instanceof Error ? error.message : "error");
    }
  }

  hello(version = 2, features = 7): void {
    const payload = Buffer.alloc(8);
    payload.writeUInt32LE(version, 0);
    payload.writeUInt32LE(features, 4);
    this.receive(frameBytes(frameType.hello, 0, payload));
  }

  /** Types and channels of the frames that were sent. */
  get frames(): { type: number; channel: number; payload: Buffer }[] {
    const whole = Buffer.concat(this.sent);
    const frames = [];
    for (let at = 0; at < whole.length;) {
      const word = whole.readUInt32LE(at);
      const length = word & 0xffffff;
      frames.push({
        type: word >>> 24,
        channel: whole.readUInt32LE(at + 4),
        payload: whole.subarray(at + 8, at + 8 + length),
      });
      at += 8 + length;
    }
    return frames;
  }
}

/** A payload of little-endian 32-bit words. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}
