import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { strayCheck } from "../intercepting/stray-placeholder.ts";
import type { AskedRequest } from "./asked-request.ts";
import { InsideDuplex } from "./inside-duplex.ts";
import { bytesPastParser, copyPastParser } from "./past-parser.ts";

/** Less than this goes by the parser: after a body that does not, the client needs another connection. Bytes. */
const worthwhile = 1_048_576;

/**
 * Sends the body of a request on, and ends the request. Rejects with what was found in the body, or where it broke off. Much of known length goes past Node's parser; the
 * connection ends after the answer then, because the parser cannot be told that the body is over.
 */
export async function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: ClientRequest,
  { strange, framing }: AskedRequest,
): Promise<void> {
  if (framing.kind === "none") {
    // So that its end is seen, and the next request on the connection with it.
    request.resume();
    upstream.end();
    return;
  }
  const check = strange.length === 0 ? undefined : strayCheck(strange);
  const { socket } = request;
  // TLS that ends here is read by the parser itself, which cannot hand it over.
  const left = socket instanceof InsideDuplex ? bytesPastParser(request, socket) : 0;
  if (left < worthwhile) {
    await (check === undefined ? pipeline(request, upstream) : pipeline(request, check, upstream));
    return;
  }
  response.shouldKeepAlive = false;
  // Before the parser, which would take the end for one in the middle of the body. A client that closes its side before the answer is whole has gone.
  socket.prependOnceListener("end", () => {
    if (!response.writableEnded) socket.destroy();
  });
  const checked = check === undefined ? undefined : pipeline(check, upstream);
  const sink = check ?? upstream;
  const copied = copyPastParser(request, socket, sink, left).then(() => void sink.end());
  // What the check found says more than that it takes nothing more. It ends with the exchange where the client goes.
  copied.catch(() => undefined);
  await (checked ?? copied);
}
