import { Duplex } from "node:stream";
import type { SessionId } from "../../model/ids.ts";
import type { InsideConnection } from "../../model/runtime.ts";

/** Up to here joining pieces is cheaper than handing them on one by one. Bytes. */
const joinBytes = 16_384;

/** Why one has left. One error for all: making one for each connection, and more so the one that Node makes, costs more than all else at its end. */
const nothingMore = new Error("nothing more comes from inside");

/** A connection from a sandbox as the stream that Node's HTTP parser wants. Reading pulls, so a slow reader slows the process inside. */
export class InsideDuplex extends Duplex {
  readonly #connection: InsideConnection;
  readonly #count: (bytes: number) => boolean;
  /** Aborts once the process sent its end of file, or the connection is gone. */
  readonly #left = new AbortController();
  #clientLeft = false;

  /** `count` is told of the bytes of each read and write; where it says false, they are the last. */
  constructor(connection: InsideConnection, count: (bytes: number) => boolean = () => true) {
    super({ allowHalfOpen: true, highWaterMark: 65_536 });
    this.#connection = connection;
    this.#count = count;
    // A reset is an ordinary end here; whoever uses the stream hears of it by `close`.
    this.on("error", () => undefined);
  }

  get session(): SessionId {
    return this.#connection.session;
  }

  /** Aborts when nothing more will come from inside: who waits for an answer there has gone. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /** True where the process ended or reset the connection, as opposed to the proxy. */
  get clientLeft(): boolean {
    return this.#clientLeft;
  }

  override _read(): void {
    void this.#pull();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    void this.#give([chunk], done);
  }

  /** What Node's server writes in one turn, such as a chunk between its length and its end, leaves in one turn. */
  override _writev(pieces: { readonly chunk: Buffer }[], done: (error?: Error) => void): void {
    const chunks = pieces.map(({ chunk }) => chunk);
    const total = chunks.reduce((sum, { length }) => sum + length, 0);
    void this.#give(total <= joinBytes ? [Buffer.concat(chunks, total)] : chunks, done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#connection.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#abort();
    this.#connection.destroy();
    done(error);
  }

  async #pull(): Promise<void> {
    try {
      const data = await this.#connection.read();
      if (data === undefined) this.#leave();
      if (data === undefined || this.#count(data.length)) this.push(data ?? null);
      else this.destroy();
    } catch (error) {
      this.#leave();
      this.destroy(asError(error));
    }
  }

  async #give(chunks: readonly Buffer[], done: (error?: Error) => void): Promise<void> {
    try {
      // The connection keeps their order.
      await Promise.all(chunks.map((chunk) => this.#connection.write(chunk)));
      if (!this.#count(chunks.reduce((sum, { length }) => sum + length, 0))) this.destroy();
      done();
    } catch (error) {
      this.#leave();
      done(asError(error));
    }
  }

  #leave(): void {
    if (!this.destroyed) this.#clientLeft = true;
    this.#abort();
  }

  #abort(): void {
    if (!this.#left.signal.aborted) this.#left.abort(nothingMore);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
