import type { Frame } from "./frame.ts";
import { controlLength, maxControlLength, parseControlFrame } from "./parse-control-frame.ts";
import { frameType, headerBytes, maxData } from "./protocol.ts";
import { WireError } from "./wire-error.ts";

/**
 * Decodes what init sends, however it is cut into chunks. The stream is hostile: every length is checked before anything is kept, data
 * passes through as views of the chunk, and at most one header and one control payload (56 bytes) are ever buffered.
 */
export class FrameDecoder {
  readonly #emit: (frame: Frame) => void;
  /** Header, then the payload of a control frame, as far as they came. */
  readonly #held = new Uint8Array(headerBytes + maxControlLength);
  readonly #view = new DataView(this.#held.buffer);
  #heldBytes = 0;
  /** Bytes of `#held` that the current frame needs; only the header where its length is not known yet. */
  #needed = headerBytes;
  /** Payload bytes of a data frame still to come. */
  #dataLeft = 0;
  #dataKind: "stdout" | "stderr" = "stdout";
  #channel = 0;
  #broken = false;

  constructor(emit: (frame: Frame) => void) {
    this.#emit = emit;
  }

  /**
   * Takes the next chunk, which must not be changed afterwards while a consumer holds on to data frames. Returns how many bytes of it were taken: all, or what `mostSteps`
   * allowed; a frame takes one step or two. The rest comes with the next push.
   * @throws WireError at the first violation, and at every later push.
   */
  push(chunk: Uint8Array, mostSteps = Number.POSITIVE_INFINITY): number {
    if (this.#broken) throw new WireError("the stream is broken");
    this.#broken = true;
    let at = 0;
    for (let steps = 0; at < chunk.length && steps < mostSteps; steps += 1)
      at = this.#dataLeft > 0 ? this.#passData(chunk, at) : this.#collect(chunk, at);
    this.#broken = false;
    return at;
  }

  #passData(chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + this.#dataLeft);
    this.#dataLeft -= end - at;
    this.#emit({ kind: this.#dataKind, channel: this.#channel, data: chunk.subarray(at, end) });
    return end;
  }

  #collect(chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + this.#needed - this.#heldBytes);
    for (let i = at; i < end; i++) this.#held[this.#heldBytes++] = chunk[i] ?? 0;
    if (this.#heldBytes < this.#needed) return end;
    if (this.#needed === headerBytes && this.#readHeader()) return end;
    const payload = new DataView(this.#held.buffer, headerBytes, this.#needed - headerBytes);
    const type = this.#view.getUint32(0, true) >>> 24;
    this.#heldBytes = 0;
    this.#needed = headerBytes;
    this.#emit(parseControlFrame(type, this.#channel, payload));
    return end;
  }

  /** True where a payload follows that must come first. */
  #readHeader(): boolean {
    const word = this.#view.getUint32(0, true);
    const type = word >>> 24;
    const length = word & 0xff_ffff;
    this.#channel = this.#view.getUint32(4, true);
    if (type === frameType.stdout || type === frameType.stderr) {
      if (length === 0 || length > maxData) throw new WireError(`a data frame of ${length} bytes`);
      this.#dataKind = type === frameType.stdout ? "stdout" : "stderr";
      this.#dataLeft = length;
      this.#heldBytes = 0;
      return true;
    }
    const expected = controlLength.get(type);
    if (expected === undefined) throw new WireError(`frame type ${type}`);
    if (expected !== length) throw new WireError(`frame type ${type} with ${length} bytes`);
    this.#needed = headerBytes + length;
    return length > 0;
  }
}
