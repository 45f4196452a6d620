import type { IncomingMessage } from "node:http";
import type { Duplex, Writable } from "node:stream";

/**
 * Bytes of a message's body that Node's parser has not seen, where all of them can go past it: it announced a length and nobody has read of it. 0 where they cannot.
 * `source` is what the parser reads. Its one listener is the parser's; where it is not alone, this is not the HTTP of Node that this was written for.
 */
export function bytesPastParser(message: IncomingMessage, source: Duplex): number {
  const { "content-length": length, "transfer-encoding": coding } = message.headers;
  if (message.complete || coding !== undefined || !/^\d{1,15}$/.test(length ?? "")) return 0;
  return source.listenerCount("data") === 1 ? Number(length) - message.readableLength : 0;
}

/**
 * Copies the rest of a body, `count` bytes that the parser has not seen, from the connection straight to `sink`, which is not ended. Resolves with the last of them; rejects where either side
 * is gone before. The parser copies each piece of a body, which costs more than all else; it sees nothing more of this connection, and what follows the body is dropped.
 */
export function copyPastParser(message: IncomingMessage, source: Duplex, sink: Writable, count: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // What becomes of the message that is cut short here is of no interest.
  message.on("error", () => undefined);
  source.removeAllListeners("data");
  for (let piece: unknown = message.read(); piece !== null; piece = message.read()) sink.write(piece);
  let left = count;
  const stop = (): void => {
    source.off("data", onData).off("end", onGone).off("close", onGone);
    sink.off("drain", onDrain).off("close", onGone);
    source.resume();
  };
  const onData = (chunk: Buffer): void => {
    const piece = chunk.length > left ? chunk.subarray(0, left) : chunk;
    left -= piece.length;
    const more = sink.write(piece);
    if (left === 0) {
      stop();
      resolve();
    } else if (!more) source.pause();
  };
  const onDrain = (): void => void source.resume();
  const onGone = (): void => {
    stop();
    reject(new Error("the body broke off"));
  };
  source.on("data", onData).once("end", onGone).once("close", onGone);
  sink.on("drain", onDrain).once("close", onGone);
  source.resume();
  return promise;
}
