/** The writable half of a call over Connect. */
export interface ResponseStream<M> {
  write(message: M): boolean;
  once(event: "drain", listener: () => void): unknown;
  removeListener(event: "drain", listener: () => void): unknown;
}

/** Sends one message. Returns a promise where the caller has to wait until the client took some; rejects with the signal's reason. */
export function send<M>(call: ResponseStream<M>, message: M, signal: AbortSignal): Promise<void> | undefined {
  signal.throwIfAborted();
  if (call.write(message)) return undefined;
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      call.removeListener("drain", settle);
      signal.removeEventListener("abort", settle);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    call.once("drain", settle);
    signal.addEventListener("abort", settle, { once: true });
  });
}
