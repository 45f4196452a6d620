import type { SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { InsideConnection } from "../model/runtime.ts";
import { encodeCredit, encodeReset } from "../wire/encode-frame.ts";
import type { Frame } from "../wire/frame.ts";
import { WireError } from "../wire/wire-error.ts";
import type { ChannelHost } from "./process-channel.ts";
import { OutputSlot } from "./output-slot.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { SendWindow } from "./send-window.ts";

interface Reader {
  readonly resolve: (data: Uint8Array | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** The sidecar's end of a connection that a process inside opened to the proxy's port. */
export class ConnectionChannel implements InsideConnection {
  readonly channel: number;
  readonly session: SessionId;
  readonly #host: ChannelHost;
  readonly #receive: ReceiveWindow;
  readonly #sending: SendWindow;
  #waiting: OutputSlot[] = [];
  #readers: Reader[] = [];
  #receivedEnd = false;
  #sentEnd = false;
  #broken: Problem | undefined;

  constructor(channel: number, window: number, session: SessionId, host: ChannelHost) {
    this.channel = channel;
    this.session = session;
    this.#host = host;
    const send = (bytes: Uint8Array): void => host.send(bytes);
    this.#receive = new ReceiveWindow(channel, window, send);
    this.#sending = new SendWindow(channel, send);
    host.send(encodeCredit(channel, window));
  }

  read(): Promise<Uint8Array | undefined> {
    const slot = this.#waiting.shift();
    if (slot !== undefined) {
      const data = slot.take();
      this.#consumed(data);
      return Promise.resolve(data);
    }
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#receivedEnd) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  async write(data: Uint8Array): Promise<void> {
    await this.#sending.write(data);
  }

  end(): void {
    this.#sending.end(() => {
      this.#sentEnd = true;
      this.#releaseWhenOver();
    });
  }

  destroy(): void {
    if (this.#broken !== undefined || (this.#receivedEnd && this.#sentEnd)) return;
    this.#host.send(encodeReset(this.channel));
    this.#host.release(this.channel);
    this.lost(new Problem("aborted", "the connection was closed"));
  }

  /** Takes a frame of this channel. @throws WireError where it makes no sense. */
  accept(frame: Frame): void {
    switch (frame.kind) {
      case "stdout":
        if (this.#receivedEnd) throw new WireError("data after the end of a connection");
        this.#receive.received(frame.data.length);
        this.#deliver(frame.data);
        return;
      case "eof":
        if (this.#receivedEnd) throw new WireError("a second end of a connection");
        this.#receivedEnd = true;
        for (const reader of this.#readers.splice(0)) reader.resolve(undefined);
        this.#releaseWhenOver();
        return;
      case "credit":
        this.#sending.grant(frame.bytes);
        return;
      case "reset":
        this.#host.release(this.channel);
        this.lost(new Problem("aborted", "the connection was reset from inside"));
        return;
      default:
        throw new WireError(`${frame.kind} on a connection`);
    }
  }

  /** The connection is over, in both directions. */
  lost(problem: Problem): void {
    if (this.#broken !== undefined) return;
    this.#broken = problem;
    this.#waiting = [];
    this.#sending.close(problem);
    for (const reader of this.#readers.splice(0)) reader.reject(problem);
  }

  #deliver(data: Uint8Array): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      this.#consumed(data);
      reader.resolve(data);
    } else if (this.#waiting.at(-1)?.add(data) !== true) {
      this.#waiting.push(new OutputSlot("stdout", data));
    }
  }

  #consumed(data: Uint8Array): void {
    if (!this.#receivedEnd) this.#receive.consumed(data.length);
  }

  #releaseWhenOver(): void {
    if (this.#receivedEnd && this.#sentEnd) this.#host.release(this.channel);
  }
}
