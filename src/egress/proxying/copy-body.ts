import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { bytesPastParser, copyPastParser } from "./past-parser.ts";

/** Bodies that have less than this to come are not worth the change of hands. Bytes. */
const worthwhile = 131_072;

/**
 * Copies the body of an answer. Resolves once the server gave all of it; rejects where it broke off. The rest of a long body of known length goes from the socket straight to the client
 * once Node's parser has read the head. Framing stays the parser's word, for the length that it took is the only one.
 */
export function copyBody(answer: IncomingMessage, response: ServerResponse, socket: Socket): Promise<void> {
  const left = bytesPastParser(answer, socket);
  return left < worthwhile ? copyParsed(answer, response) : copyPastParser(answer, socket, response, left);
}

/** Node's `pipeline` would do, but makes an abort and its stack for each exchange, a tenth of all that a small one costs. */
function copyParsed(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onClose = () => reject(new Error("the answer broke off"));
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
