import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Bodies that have less than this to come are not worth the change of hands. Bytes. */
const worthwhile = 131_072;

/**
 * Copies the body of an answer. Resolves once the server gave all of it; rejects where it broke off. The rest of a long body of known length goes from the socket straight to the client
 * once Node's parser has read the head: the parser copies each piece of a body, which costs more than all else here. Framing stays the parser's word, for the length that it took is the only one.
 */
export function copyBody(answer: IncomingMessage, response: ServerResponse, socket: Socket): Promise<void> {
  const left = leftOf(answer);
  // The one listener is the parser's. Where it is not alone, this is not the client of Node that this was written for.
  const direct = left !== undefined && left >= worthwhile && socket.listenerCount("data") === 1;
  return direct ? copyDirectly(answer, response, socket, left) : copyParsed(answer, response);
}

/** Bytes of the body that the parser has not seen; undefined where it announced none, or has ended. */
function leftOf(answer: IncomingMessage): number | undefined {
  const { "content-length": length, "transfer-encoding": coding } = answer.headers;
  if (answer.complete || coding !== undefined || !/^\d{1,15}$/.test(length ?? "")) return undefined;
  return Number(length) - answer.readableLength;
}

/** Node's `pipeline` would do, but makes an abort and its stack for each exchange, a tenth of all that a small one costs. */
function copyParsed(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onClose = () => reject(brokeOff());
  answer
    .once("error", reject)
    .once("close", onClose)
    .once("end", () => {
      // The close that follows says nothing new, and its error would cost more than the end.
      answer.off("close", onClose);
      resolve();
    });
  answer.pipe(response, { end: false });
  return promise;
}

function copyDirectly(answer: IncomingMessage, response: ServerResponse, socket: Socket, count: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // What becomes of the message that is cut short here is of no interest.
  answer.on("error", () => undefined);
  socket.removeAllListeners("data");
  for (let piece: unknown = answer.read(); piece !== null; piece = answer.read()) response.write(piece);
  let left = count;
  const onData = (chunk: Buffer): void => {
    const piece = chunk.length > left ? chunk.subarray(0, left) : chunk;
    left -= piece.length;
    if (!response.write(piece)) socket.pause();
    if (left > 0) return;
    socket.off("data", onData);
    resolve();
  };
  const onEnd = () => reject(brokeOff());
  socket.on("data", onData).once("end", onEnd).once("close", onEnd);
  response.on("drain", () => socket.resume());
  socket.resume();
  return promise;
}

function brokeOff(): Error {
  return new Error("the answer broke off");
}
