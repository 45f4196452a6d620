import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type { Carrier } from "./carrier.ts";

/** Up to here copying frames together is cheaper than a vector of writes. */
const copyBytes = 16 * 1024;

/** Takes the chunks of the socket apart where something is wrapped round the frames. */
export type Unwrap = (chunk: Uint8Array, emit: (bytes: Uint8Array) => void) => void;

/** A carrier on a connected socket. */
export class SocketCarrier implements Carrier {
  readonly #socket: Socket;
  readonly #unwrap: Unwrap | undefined;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #reason = "the stream was closed";

  constructor(socket: Socket, unwrap?: Unwrap) {
    this.#socket = socket;
    this.#unwrap = unwrap;
    // Until start() adds its own: an error without a listener would end the process.
    socket.on("error", (error: Error) => {
      this.#reason = error.message;
    });
  }

  get backlog(): number {
    return this.#socket.writableLength + this.#queued;
  }

  send(bytes: Uint8Array): void {
    if (this.#queue.length === 0) queueMicrotask(() => this.#flush());
    this.#queue.push(bytes);
    this.#queued += bytes.length;
  }

  start(onBytes: (chunk: Uint8Array) => void, onEnd: (reason: string) => void): void {
    const take = (chunk: Uint8Array): void => {
      try {
        if (this.#unwrap === undefined) onBytes(chunk);
        else this.#unwrap(chunk, onBytes);
      } catch (error) {
        this.destroy(error instanceof Error ? error.message : "unreadable bytes");
      }
    };
    this.#socket.on("data", take);
    this.#socket.resume();
    this.#socket.once("end", () => this.destroy("init ended the stream"));
    this.#socket.once("close", () => onEnd(this.#reason));
    // Unix sockets are closed before the event could be seen where init ended during the handshake.
    if (this.#socket.destroyed) queueMicrotask(() => onEnd(this.#reason));
  }

  destroy(reason: string): void {
    if (this.#socket.destroyed) return;
    this.#reason = reason;
    this.#socket.destroy();
  }

  #flush(): void {
    const queue = this.#queue;
    const total = this.#queued;
    this.#queue = [];
    this.#queued = 0;
    if (this.#socket.destroyed) return;
    if (queue.length === 1 || total <= copyBytes) {
      this.#socket.write(queue.length === 1 ? (queue[0] ?? Buffer.alloc(0)) : Buffer.concat(queue, total));
      return;
    }
    this.#socket.cork();
    for (const bytes of queue) this.#socket.write(bytes);
    this.#socket.uncork();
  }
}
