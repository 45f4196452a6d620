import type { Readable } from "node:stream";

/** Takes the first bytes of a stream by count; everything after them stays in the stream. */
export interface ByteTaker {
  /** The next `count` bytes. Undefined where the stream ends or breaks before. */
  take(count: number): Promise<Buffer | undefined>;
  /** Puts back what was read and not taken. Nothing can be taken after that. */
  release(): void;
}

/** Makes a taker for a stream that nobody else reads. */
export function takeFrom(stream: Readable): ByteTaker {
  let held = Buffer.alloc(0);
  return {
    async take(count) {
      while (held.length < count) {
        // All that is there: a stream that still holds bytes would call itself readable again and again.
        const bytes: unknown = stream.read();
        if (bytes instanceof Buffer) held = Buffer.concat([held, bytes]);
        else if (stream.readableEnded || stream.destroyed) return undefined;
        else await more(stream);
      }
      const taken = held.subarray(0, count);
      held = held.subarray(count);
      return taken;
    },
    release() {
      if (held.length > 0) stream.unshift(held);
      held = Buffer.alloc(0);
    },
  };
}

function more(stream: Readable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ["readable", "end", "close"] as const;
  const done = (): void => {
    for (const event of events) stream.off(event, done);
    resolve();
  };
  for (const event of events) stream.on(event, done);
  return promise;
}
