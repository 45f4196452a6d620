import { encodeEof, encodeHeader } from "../wire/encode-frame.ts";
import { frameType, maxData, windowBytes } from "../wire/protocol.ts";
import { WireError } from "../wire/wire-error.ts";

interface Waiting {
  data: Uint8Array;
  readonly resolve: (sent: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Sends data on one channel as far as init has granted, in order, and its end after the last byte. */
export class SendWindow {
  readonly #channel: number;
  readonly #send: (bytes: Uint8Array) => void;
  #allowance = windowBytes;
  #waiting: Waiting[] = [];
  #onEnded: (() => void) | undefined;
  #closed: Error | "quietly" | undefined;

  constructor(channel: number, send: (bytes: Uint8Array) => void) {
    this.#channel = channel;
    this.#send = send;
  }

  /** Resolves with true when all of it was sent, with false after the end; rejects where the channel was broken. */
  write(data: Uint8Array): Promise<boolean> {
    if (this.#closed instanceof Error) return Promise.reject(this.#closed);
    if (this.#onEnded !== undefined || this.#closed !== undefined) return Promise.resolve(false);
    if (this.#waiting.length === 0 && data.length <= this.#allowance) {
      if (data.length > 0) this.#sendNow(data);
      return Promise.resolve(true);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ data, resolve, reject });
      this.#pump();
    });
  }

  /** Init takes `bytes` more. @throws WireError where that is more than was sent. */
  grant(bytes: number): void {
    this.#allowance += bytes;
    if (this.#allowance > windowBytes) throw new WireError(`credit past the window on channel ${this.#channel}`);
    this.#pump();
  }

  /** Sends the end after what is still waiting, and calls `onEnded` then. */
  end(onEnded: () => void = () => {}): void {
    if (this.#onEnded !== undefined || this.#closed !== undefined) return;
    this.#onEnded = onEnded;
    this.#pump();
  }

  /** Nothing is sent from now on. Waiting writes resolve with false, or reject with `error`. */
  close(error?: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = error ?? "quietly";
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const write of waiting) {
      if (error === undefined) write.resolve(false);
      else write.reject(error);
    }
  }

  #pump(): void {
    for (let first = this.#waiting[0]; first !== undefined && this.#allowance > 0; first = this.#waiting[0]) {
      const part = first.data.subarray(0, this.#allowance);
      first.data = first.data.subarray(part.length);
      this.#sendNow(part);
      if (first.data.length > 0) return;
      this.#waiting.shift();
      first.resolve(true);
    }
    if (this.#onEnded === undefined || this.#waiting.length > 0 || this.#closed !== undefined) return;
    this.#closed = "quietly";
    this.#send(encodeEof(this.#channel));
    this.#onEnded();
  }

  #sendNow(data: Uint8Array): void {
    this.#allowance -= data.length;
    for (let at = 0; at < data.length; at += maxData) {
      const part = data.subarray(at, at + maxData);
      this.#send(encodeHeader(frameType.data, this.#channel, part.length));
      this.#send(part);
    }
  }
}
