import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Outcome } from "../../model/outcome.ts";
import { EgressProblem } from "../egress-problem.ts";
import { failureOf } from "./admit.ts";
import { type AskedRequest, askedRequest, credentialFacts } from "./asked-request.ts";
import { checkedAnswer } from "./checked-answer.ts";
import type { Client } from "./client.ts";
import { openRequest } from "./forward.ts";
import { RequestTrace } from "../request-line.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { reach, type Reached } from "./reach.ts";
import { endWith, writeRefusal } from "./refusal-reply.ts";
import { relay } from "./relay.ts";

/**
 * True for a request that is served as if it had asked for no other protocol, which a server may (RFC 9110, section 7.8): Java and `curl --http2` ask for `h2c` in every plain request, and its requests nobody
 * would see. Not one with a body: Node's parser stops before it, and some of it may be gone.
 */
export function asksInVain({ method, headers }: IncomingMessage): boolean {
  const isWebSocket = method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
  return !isWebSocket && headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}

/**
 * Serves a request that asks for WebSocket (RFC 6455) by the same decision as any request. Resolves when the connection is over; never rejects.
 */
export async function serveUpgrade(
  request: IncomingMessage,
  client: Client,
  head: Buffer,
  context: ProxyContext,
): Promise<void> {
  const { inside, stream } = client;
  const trace = new RequestTrace("upgrade", inside.session, context.onRequest);
  let asked: AskedRequest | undefined;
  try {
    asked = askedRequest(request, client, context, trace);
    if (asked.framing.kind !== "none") throw new EgressProblem("bad_framing", "an upgrade has no body");
    const reached = await reach(inside, asked.url, asked.how, context, trace);
    if (head.length > 0) stream.unshift(head);
    trace.end(await carry(request, client, asked, reached, context));
  } catch (error) {
    trace.end({}, error);
    writeRefusal(stream, error, asked?.url.host.text ?? "");
  }
}

async function carry(
  request: IncomingMessage,
  { inside, stream }: Client,
  asked: AskedRequest,
  { socket, admitted }: Reached,
  context: ProxyContext,
): Promise<{ status: number; bytesUp: number; bytesDown: number }> {
  let outcome: Outcome = { kind: "abandoned", reason: "the client went away" };
  try {
    const answer = await ask(request, asked, socket, context);
    if (answer.kind === "plain") await passBack(stream, answer.response, asked);
    else {
      stream.write(headOf(answer.response, asked, "Connection: Upgrade\r\nUpgrade: websocket\r\n"), "latin1");
      if (answer.head.length > 0) stream.write(answer.head);
      await relay(stream, socket, undefined, context.limits, context.cut);
    }
    const status = answer.response.statusCode ?? 0;
    const bytes = { status, bytesUp: socket.bytesWritten, bytesDown: socket.bytesRead };
    outcome = { kind: "done", facts: { ...bytes, ...credentialFacts(asked) } };
    return bytes;
  } catch (error) {
    const problem = new EgressProblem("protocol_error", `${asked.url.host.text}: the upgrade broke off`, {
      cause: error,
    });
    if (!inside.clientLeft) outcome = failureOf(problem);
    throw problem;
  } finally {
    socket.destroy();
    admitted.end(outcome);
  }
}

type UpgradeAnswer =
  | { readonly kind: "switched"; readonly response: IncomingMessage; readonly head: Buffer }
  | { readonly kind: "plain"; readonly response: IncomingMessage };

function ask(
  request: IncomingMessage,
  asked: AskedRequest,
  socket: Socket,
  context: ProxyContext,
): Promise<UpgradeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpgradeAnswer>();
  const upstream = openRequest(socket, request, asked, context, [
    ["Connection", "Upgrade"],
    ["Upgrade", "websocket"],
  ]);
  const stop = () => socket.destroy();
  context.cut.addEventListener("abort", stop, { once: true });
  socket.setTimeout(context.limits.connectMs, stop);
  upstream.once("upgrade", (response: IncomingMessage, _socket: Duplex, head: Buffer) => {
    if (response.headers.upgrade?.toLowerCase() === "websocket") resolve({ kind: "switched", response, head });
    else reject(new Error("the server switched to another protocol"));
  });
  upstream.once("response", (response) => resolve({ kind: "plain", response }));
  upstream.on("error", reject).once("close", () => reject(new Error("closed without an answer")));
  upstream.end();
  return promise.finally(() => context.cut.removeEventListener("abort", stop));
}

/** The server did not switch: its answer is passed back, ended by the end of the connection. */
async function passBack(stream: Duplex, answer: IncomingMessage, asked: AskedRequest): Promise<void> {
  stream.write(headOf(answer, asked, "Connection: close\r\n"), "latin1");
  await pipeline(answer, stream, { end: false });
  // Nobody reads what the client sends by now; its end would never be seen.
  endWith(stream, "");
}

/** @throws EgressProblem where the answer cannot be passed on */
function headOf(answer: IncomingMessage, { own }: AskedRequest, last: string): string {
  const { status, phrase, fields } = checkedAnswer(answer, own);
  return `HTTP/1.1 ${status} ${phrase}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}${last}\r\n`;
}
