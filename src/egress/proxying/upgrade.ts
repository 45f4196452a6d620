import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Outcome } from "../../model/outcome.ts";
import { EgressProblem } from "../egress-problem.ts";
import type { TargetUrl } from "../target-url.ts";
import { failureOf } from "./admit.ts";
import { openRequest } from "./forward.ts";
import { forwardTarget } from "./forward-target.ts";
import { endToEnd, framingOf } from "./framing.ts";
import type { InsideDuplex } from "./inside-duplex.ts";
import { RequestTrace } from "../request-line.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { reach, type Reached } from "./reach.ts";
import { writeRefusal } from "./refusal-reply.ts";
import { relay } from "./relay.ts";

/**
 * Serves a request that asks for another protocol: WebSocket (RFC 6455) by the same decision as any request, nothing else. `h2c` would turn the
 * connection into one whose requests nobody sees. Resolves when the connection is over; never rejects.
 */
export async function serveUpgrade(
  request: IncomingMessage,
  inside: InsideDuplex,
  head: Buffer,
  context: ProxyContext,
): Promise<void> {
  const trace = new RequestTrace("upgrade", inside.session, context.onRequest);
  let url: TargetUrl | undefined;
  try {
    url = forwardTarget(request);
    const framing = framingOf(request);
    if ((request.headers.upgrade ?? "").toLowerCase() !== "websocket" || request.method !== "GET")
      throw new EgressProblem("bad_header", "only an upgrade to websocket may pass");
    if (framing.kind !== "none") throw new EgressProblem("bad_framing", "an upgrade has no body");
    const reached = await reach(inside, url, { via: "forward", method: "GET", url: url.text }, context, trace);
    if (head.length > 0) inside.unshift(head);
    trace.end(await carry(request, inside, url, reached, context));
  } catch (error) {
    trace.end({}, error);
    writeRefusal(inside, error, url?.host.text ?? "");
  }
}

async function carry(
  request: IncomingMessage,
  inside: InsideDuplex,
  url: TargetUrl,
  { socket, admitted }: Reached,
  context: ProxyContext,
): Promise<{ status: number; bytesUp: number; bytesDown: number }> {
  let outcome: Outcome = { kind: "abandoned", reason: "the client went away" };
  try {
    const answer = await ask(request, url, socket, context);
    if (answer.kind === "plain") await passBack(inside, answer.response);
    else {
      inside.write(headOf(answer.response, 101, "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
      if (answer.head.length > 0) inside.write(answer.head);
      await relay(inside, socket, undefined, context.limits, context.cut);
    }
    const status = answer.response.statusCode ?? 0;
    const facts = { status, bytesUp: socket.bytesWritten, bytesDown: socket.bytesRead };
    outcome = { kind: "done", facts };
    return facts;
  } catch (error) {
    const problem = new EgressProblem("protocol_error", `${url.host.text}: the upgrade broke off`, { cause: error });
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

function ask(request: IncomingMessage, url: TargetUrl, socket: Socket, context: ProxyContext): Promise<UpgradeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpgradeAnswer>();
  const upstream = openRequest(socket, request, url, { kind: "none" }, context, [
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
async function passBack(inside: InsideDuplex, answer: IncomingMessage): Promise<void> {
  inside.write(headOf(answer, answer.statusCode ?? 502, "Connection: close\r\n"));
  await pipeline(answer, inside);
}

function headOf(answer: IncomingMessage, status: number, last: string): string {
  const fields = endToEnd(answer.rawHeaders, "response").map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n${fields.join("")}${last}\r\n`;
}
