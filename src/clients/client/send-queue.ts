/** The sending half of a grpc-js call. */
export interface Sink<T> {
  write(message: T): boolean;
  end(): void;
  once(event: "drain" | "close" | "error" | "status", listener: () => void): unknown;
  off(event: "drain" | "close" | "error" | "status", listener: () => void): unknown;
}

/** Sends messages with back-pressure, and never blocks on a call that is over. */
export interface SendQueue<T> {
  /** Resolves when there is room for the next message; false once the call is over: the message is then dropped. */
  send(message: T): Promise<boolean>;
  /** Half-closes. */
  end(): void;
}

const endings = ["close", "error", "status"] as const;

/** Wraps the sending half of a call. */
export function sendQueue<T>(sink: Sink<T>): SendQueue<T> {
  let over = false;
  let ended = false;
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
