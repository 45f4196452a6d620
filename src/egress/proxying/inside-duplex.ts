import { Duplex } from "node:stream";
import type { SessionId } from "../../model/ids.ts";
import type { InsideConnection } from "../../model/runtime.ts";

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
    void this.#give(chunk, done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#connection.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#left.abort();
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

  async #give(chunk: Buffer, done: (error?: Error) => void): Promise<void> {
    try {
      await this.#connection.write(chunk);
      if (!this.#count(chunk.length)) this.destroy();
      done();
    } catch (error) {
      this.#leave();
      done(asError(error));
    }
  }

  #leave(): void {
    if (!this.destroyed) this.#clientLeft = true;
    this.#left.abort();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
