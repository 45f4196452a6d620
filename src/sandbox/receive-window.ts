import { encodeCredit } from "../wire/encode-frame.ts";
import { WireError } from "../wire/wire-error.ts";

/** Counts what init may still send on one channel, and grants more as it is consumed: lazily, so that short commands cost no frame. */
export class ReceiveWindow {
  readonly #channel: number;
  readonly #size: number;
  readonly #send: (bytes: Uint8Array) => void;
  #allowance: number;
  #consumed = 0;

  constructor(channel: number, size: number, send: (bytes: Uint8Array) => void) {
    this.#channel = channel;
    this.#size = size;
    this.#send = send;
    this.#allowance = size;
  }

  /** @throws WireError where init sends more than it was granted. */
  received(bytes: number): void {
    this.#allowance -= bytes;
    if (this.#allowance < 0) throw new WireError(`data past the window on channel ${this.#channel}`);
  }

  /** True where init may send nothing before the reader takes more. */
  get exhausted(): boolean {
    return this.#allowance <= 0;
  }

  /** The reader has taken `bytes`. */
  consumed(bytes: number): void {
    this.#consumed += bytes;
    // Half of it stays under way meanwhile; a grant is a system call that wakes init, and more of them slow both.
    if (this.#consumed * 2 < this.#size) return;
    this.#allowance += this.#consumed;
    this.#send(encodeCredit(this.#channel, this.#consumed));
    this.#consumed = 0;
  }
}
