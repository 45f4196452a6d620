import { Buffer } from "node:buffer";

/** The sending half of a grpc-js call. */
export interface Sink<T> {
  write(message: T | Buffer, done?: () => void): boolean;
  end(): void;
  cancel(): void;
  once(event: "drain" | "close" | "error" | "status", listener: () => void): unknown;
  off(event: "drain" | "close" | "error" | "status", listener: () => void): unknown;
}

/** Sends messages with back-pressure, and never blocks on a call that is over. */
export interface RequestStream<T> {
  /** Resolves when there is room for the next message; false once the call is over: the message is then dropped. */
  send(message: T): Promise<boolean>;
  /** Half-closes. */
  end(): void;
  /** Cancels the call, in a way that no server takes for its end. Harmless once the call is over. */
  cancel(): void;
  /** True once `cancel` was called on a call that was not over. */
  readonly isCancelled: () => boolean;
}

const endings = ["close", "error", "status"] as const;

/**
 * A tag that is cut off, so no message decodes from it. Node's HTTP/2 ends a stream before it resets it: a server sees a cancelled request half-closed first, and
 * would take the part of a file that came until then for the whole. What comes before that end must make it fail.
 */
const brokenOff = Buffer.from([0xff]);
/** How long the broken message may wait for room, in milliseconds. Where the server takes nothing, the end cannot pass either. */
const brokenOffMs = 100;

/** Wraps the sending half of a call. */
export function requestStream<T>(sink: Sink<T>): RequestStream<T> {
  let over = false;
  let ended = false;
  let cancelled = false;
  const markOver = (): void => {
    over = true;
  };
  for (const event of endings) sink.once(event, markOver);
  return {
    async send(message) {
      if (over || ended) return false;
      if (sink.write(message)) return true;
      await roomOrEnd(sink);
      return !over;
    },
    end() {
      if (over || ended) return;
      ended = true;
      sink.end();
    },
    cancel() {
      if (over || ended) {
        cancelled ||= !over;
        sink.cancel();
        return;
      }
      ended = true;
      cancelled = true;
      const timer = setTimeout(() => sink.cancel(), brokenOffMs);
      sink.write(brokenOff, () => {
        clearTimeout(timer);
        sink.cancel();
      });
    },
    isCancelled: () => cancelled,
  };
}

function roomOrEnd(sink: Sink<never>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of [...endings, "drain"] as const) sink.off(event, done);
      resolve();
    };
    for (const event of [...endings, "drain"] as const) sink.once(event, done);
  });
}
