import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type { Carrier } from "./carrier.ts";
import { inTurns } from "./in-turns.ts";

/** Up to here copying frames together is cheaper than a vector of writes. */
const copyBytes = 16 * 1024;

/** What a piece that waits costs besides its bytes. */
const pieceBytes = 512;

/** Takes the chunks of the socket apart where something is wrapped round the frames. */
export type Unwrap = (chunk: Uint8Array, emit: (bytes: Uint8Array) => void) => void;

/** A carrier on a connected socket. */
export class SocketCarrier implements Carrier {
  readonly #socket: Socket;
  readonly #unwrap: Unwrap | undefined;
  #queue: Uint8Array[] = [];
  #queued = 0;
  /** Pieces that the socket was given and that the kernel has not taken. */
  #pieces = 0;
  #reason = "the stream was closed";

  constructor(socket: Socket, unwrap?: Unwrap) {
    this.#socket = socket;
    this.#unwrap = unwrap;
    // Until start() adds its own: an error without a listener would end the process.
    socket.on("error", (error: Error) => {
      this.#reason = `the stream broke: ${error.message}`;
    });
  }

  get backlog(): number {
    return this.#socket.writableLength + this.#queued + (this.#pieces + this.#queue.length) * pieceBytes;
  }

  send(bytes: Uint8Array): void {
    if (this.#queue.length === 0) queueMicrotask(() => this.#flush());
    this.#queue.push(bytes);
    this.#queued += bytes.length;
  }

  start(onBytes: (chunk: Uint8Array) => number, onEnd: (reason: string) => void): void {
    const fail = (error: unknown): void => this.destroy(error instanceof Error ? error.message : "unreadable bytes");
    const give = inTurns(this.#socket, onBytes, fail);
    const take = (chunk: Uint8Array): void => {
      try {
        if (this.#unwrap === undefined) give(chunk);
        else this.#unwrap(chunk, give);
      } catch (error) {
        fail(error);
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
    if (queue.length === 1 || total <= Math.max(copyBytes, queue.length * pieceBytes)) {
      this.#write(queue.length === 1 ? (queue[0] ?? Buffer.alloc(0)) : Buffer.concat(queue, total));
      return;
    }
    this.#socket.cork();
    for (const bytes of queue) this.#write(bytes);
    this.#socket.uncork();
  }

  #write(bytes: Uint8Array): void {
    this.#pieces += 1;
    this.#socket.write(bytes, this.#onTaken);
  }

  readonly #onTaken = (): void => {
    this.#pieces -= 1;
  };
}
