type Stream = "stdout" | "stderr";

/** Room at first; it doubles as output comes. */
const firstBytes = 4096;
/** Changes between the two streams that are kept where nothing else is said: a process that alternates by single bytes must not cost more than its bytes. */
const usualRuns = 16_384;

/** Bytes of one stream in a row, from this offset on. */
interface Run {
  readonly kind: Stream;
  readonly start: number;
}

/** The last output of a process: a bounded number of bytes, each with its offset and its stream. */
export class OutputRing {
  readonly #maxBytes: number;
  readonly #maxRuns: number;
  #bytes = Buffer.alloc(0);
  #runs: Run[] = [];
  /** Runs before this index are over. */
  #firstRun = 0;
  #from = 0;
  #to = 0;

  /** `maxRuns`: changes between the two streams that are kept; older output is let go with them. */
  constructor(maxBytes: number, maxRuns = usualRuns) {
    this.#maxBytes = maxBytes;
    this.#maxRuns = maxRuns;
  }

  /** Offset of the first byte that is kept. */
  get from(): number {
    return this.#from;
  }

  /** Offset past the last byte. */
  get to(): number {
    return this.#to;
  }

  append(kind: Stream, data: Uint8Array): void {
    if (data.length === 0) return;
    if (this.#runs.at(-1)?.kind !== kind) this.#runs.push({ kind, start: this.#to });
    this.#makeRoom(Math.min(this.#maxBytes, this.#to - this.#from + data.length));
    const kept = data.subarray(Math.max(0, data.length - this.#bytes.length));
    this.#to += data.length;
    this.#put(kept, this.#to - kept.length);
    this.#forgetBefore(this.#to - this.#bytes.length);
  }

  /** A copy of what is kept from an offset on: `most` bytes of one stream at most. Undefined where there is nothing. */
  read(offset: number, most: number): { readonly kind: Stream; readonly data: Uint8Array } | undefined {
    if (offset < this.#from || offset >= this.#to) return undefined;
    const index = this.#runAt(offset);
    const run = this.#runs[index];
    if (run === undefined) return undefined;
    const end = Math.min(this.#runs[index + 1]?.start ?? this.#to, offset + most);
    const data = Buffer.allocUnsafe(end - offset);
    this.#copyTo(data, offset);
    return { kind: run.kind, data };
  }

  #makeRoom(bytes: number): void {
    if (this.#bytes.length >= bytes) return;
    let size = Math.max(firstBytes, this.#bytes.length);
    while (size < bytes) size *= 2;
    const kept = Buffer.allocUnsafe(this.#to - this.#from);
    this.#copyTo(kept, this.#from);
    this.#bytes = Buffer.alloc(Math.min(size, this.#maxBytes));
    this.#put(kept, this.#from);
  }

  /** Each byte lies at its offset, modulo the size. */
  #put(data: Uint8Array, offset: number): void {
    const size = this.#bytes.length;
    const at = offset % size;
    const head = data.subarray(0, size - at);
    this.#bytes.set(head, at);
    this.#bytes.set(data.subarray(head.length), 0);
  }

  #copyTo(target: Uint8Array, offset: number): void {
    if (target.length === 0) return;
    const at = offset % this.#bytes.length;
    const head = this.#bytes.subarray(at, at + target.length);
    target.set(head);
    target.set(this.#bytes.subarray(0, target.length - head.length), head.length);
  }

  #forgetBefore(offset: number): void {
    const surplus = this.#runs.length - this.#firstRun - this.#maxRuns;
    const oldest = surplus > 0 ? (this.#runs[this.#firstRun + surplus]?.start ?? 0) : 0;
    this.#from = Math.max(this.#from, offset, oldest);
    while ((this.#runs[this.#firstRun + 1]?.start ?? Infinity) <= this.#from) this.#firstRun += 1;
    if (this.#firstRun < this.#maxRuns) return;
    this.#runs = this.#runs.slice(this.#firstRun);
    this.#firstRun = 0;
  }

  /** Index of the run that holds an offset which is kept. */
  #runAt(offset: number): number {
    let low = this.#firstRun;
    let high = this.#runs.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#runs[middle]?.start ?? Infinity) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
