import { request as httpRequest, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { exhausted } from "../../model/exhausted.ts";
import type { Outcome } from "../../model/outcome.ts";
import { EgressProblem } from "../egress-problem.ts";
import type { Field } from "../field.ts";
import { hostInUrl, type TargetUrl } from "../target-url.ts";
import { failureOf } from "./admit.ts";
import { forwardTarget } from "./forward-target.ts";
import { endToEnd, framingOf, type Framing } from "./framing.ts";
import type { InsideDuplex } from "./inside-duplex.ts";
import { RequestTrace } from "../request-line.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { reach, type Reached } from "./reach.ts";
import { refusalReply } from "./refusal-reply.ts";

/**
 * Forwards one plain HTTP request in absolute form (RFC 9112, section 3.2.2). Every request of a kept-alive connection comes here anew and is
 * decided anew. Redirects are passed back, bodies are passed on as they are. Resolves when the exchange is over; never rejects.
 */
export async function serveForward(
  request: IncomingMessage,
  response: ServerResponse,
  inside: InsideDuplex,
  context: ProxyContext,
): Promise<void> {
  const trace = new RequestTrace("forward", inside.session, context.onRequest);
  let url: TargetUrl | undefined;
  try {
    url = forwardTarget(request);
    const framing = framingOf(request);
    const method = request.method ?? "";
    const reached = await reach(inside, url, { via: "forward", method, url: url.text }, context, trace);
    trace.end(await carry({ request, response, inside, url, framing }, reached, context));
  } catch (error) {
    trace.end({}, error);
    if (response.headersSent) response.destroy();
    else {
      const { status, headers, body } = refusalReply(error, url?.host.text ?? "");
      response.writeHead(status, headers).end(body);
    }
  }
}

/** A request that may be carried out, and where its answer goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly inside: InsideDuplex;
  readonly url: TargetUrl;
  readonly framing: Framing;
}

async function carry(
  exchange: Exchange,
  { socket, admitted }: Reached,
  context: ProxyContext,
): Promise<{ status: number; bytesUp: number; bytesDown: number }> {
  const { response, inside, url } = exchange;
  const stop = () => socket.destroy();
  context.cut.addEventListener("abort", stop, { once: true });
  response.once("close", stop);
  socket.setTimeout(context.limits.idleMs, stop);
  const lifetime = setTimeout(stop, context.limits.lifetimeMs);
  let outcome: Outcome = { kind: "abandoned", reason: "the client went away" };
  try {
    const status = await passOn(exchange, socket, context);
    const facts = { status, bytesUp: socket.bytesWritten, bytesDown: socket.bytesRead };
    outcome = { kind: "done", facts };
    return facts;
  } catch (error) {
    const problem = new EgressProblem("protocol_error", `${url.host.text}: the exchange broke off`, { cause: error });
    if (!inside.clientLeft) outcome = failureOf(problem);
    throw problem;
  } finally {
    clearTimeout(lifetime);
    context.cut.removeEventListener("abort", stop);
    socket.destroy();
    admitted.end(outcome);
  }
}

/** Sends the request and passes the answer back. Returns its status. */
async function passOn(
  { request, response, url, framing }: Exchange,
  socket: Socket,
  context: ProxyContext,
): Promise<number> {
  const upstream = openRequest(socket, request, url, framing, context);
  const answered = answerOf(upstream);
  // Leave to send the body is given only now that the request was admitted and the server is there.
  if (/^100-continue$/i.test(request.headers.expect ?? "")) response.writeContinue();
  // A server may answer before it took the whole body; then the rest of the body is of no use.
  pipeline(request, upstream).catch(() => undefined);
  const answer = await answered;
  const status = answer.statusCode ?? 502;
  response.writeHead(status, answer.statusMessage ?? "", endToEnd(answer.rawHeaders, "response").flat());
  await pipeline(answer, response);
  return status;
}

/** Starts the request on the connection that was dialled: one request, one connection. */
export function openRequest(
  socket: Socket,
  request: IncomingMessage,
  url: TargetUrl,
  framing: Framing,
  context: ProxyContext,
  extra: readonly Field[] = [["Connection", "close"]],
): ClientRequest {
  const headers: Field[] = [
    ["Host", hostHeader(url)],
    ...endToEnd(request.rawHeaders, "request"),
    ...framingFields(framing),
    ...extra,
  ];
  return httpRequest({
    createConnection: () => socket,
    method: request.method ?? "",
    path: url.path,
    headers: headers.flat(),
    setHost: false,
    maxHeaderSize: context.limits.headerBytes,
  });
}

function answerOf(upstream: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  upstream.once("response", resolve);
  // A server that switches the protocol unasked gets a close and no error.
  upstream.on("error", reject).once("close", () => reject(new Error("closed without an answer")));
  return promise;
}

function framingFields(framing: Framing): readonly Field[] {
  switch (framing.kind) {
    case "none":
      return [];
    case "chunked":
      return [["Transfer-Encoding", "chunked"]];
    case "length":
      return [["Content-Length", framing.value]];
    default:
      return exhausted(framing);
  }
}

/** Host says what was judged, whatever the client wrote. */
function hostHeader(url: TargetUrl): string {
  return url.port === 80 ? hostInUrl(url.host) : `${hostInUrl(url.host)}:${url.port}`;
}
