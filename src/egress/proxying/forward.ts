import { request as httpRequest, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { exhausted } from "../../model/exhausted.ts";
import type { Outcome } from "../../model/outcome.ts";
import { EgressProblem } from "../egress-problem.ts";
import type { Field } from "../field.ts";
import { watchStatusLines } from "../status-lines.ts";
import { hostInUrl, type TargetUrl } from "../target-url.ts";
import { addCredentials } from "../intercepting/add-credentials.ts";
import { failureOf } from "./admit.ts";
import { type AskedRequest, askedRequest, credentialFacts } from "./asked-request.ts";
import type { Client } from "./client.ts";
import { endToEnd, type Framing } from "./framing.ts";
import { RequestTrace } from "../request-line.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { passAnswer, passInterim } from "./pass-answer.ts";
import { reach, type Reached } from "./reach.ts";
import { refusalReply } from "./refusal-reply.ts";
import { sendBody } from "./send-body.ts";

/**
 * Forwards one plain HTTP request in absolute form (RFC 9112, section 3.2.2). Every request of a kept-alive connection comes here anew and is
 * decided anew. Redirects are passed back, bodies are passed on as they are. Resolves when the exchange is over; never rejects.
 */
export async function serveForward(
  request: IncomingMessage,
  response: ServerResponse,
  client: Client,
  context: ProxyContext,
): Promise<void> {
  const trace = new RequestTrace("forward", client.inside.session, context.onRequest);
  let asked: AskedRequest | undefined;
  try {
    asked = askedRequest(request, client, context, trace);
    const reached = await reach(client.inside, asked.url, asked.how, context, trace);
    trace.end(await carry({ request, response, client, asked }, reached, context));
  } catch (error) {
    trace.end({}, error);
    if (response.headersSent) response.destroy();
    else {
      const { status, phrase, headers, body } = refusalReply(error, asked?.url.host.text ?? "");
      response.writeHead(status, phrase, headers).end(body);
    }
  }
}

/** A request that may be carried out, and where its answer goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: Client;
  readonly asked: AskedRequest;
}

async function carry(
  exchange: Exchange,
  { socket, admitted }: Reached,
  context: ProxyContext,
): Promise<{ status: number; bytesUp: number; bytesDown: number }> {
  const { response, client, asked } = exchange;
  const { idleMs, lifetimeMs } = context.limits;
  const stop = () => socket.destroy();
  let lateness: EgressProblem | undefined;
  const late = (why: string) => () => {
    lateness = new EgressProblem("deadline", `${asked.url.host.text}: ${why}`);
    stop();
  };
  context.cut.addEventListener("abort", stop, { once: true });
  response.once("close", stop);
  socket.setTimeout(idleMs, late(`nothing came for ${idleMs} ms`));
  const lifetime = setTimeout(late(`it took longer than ${lifetimeMs} ms`), lifetimeMs);
  let outcome: Outcome = { kind: "abandoned", reason: "the client went away" };
  try {
    const status = await passOn(exchange, socket, context);
    const bytes = { status, bytesUp: socket.bytesWritten, bytesDown: socket.bytesRead };
    outcome = { kind: "done", facts: { ...bytes, ...credentialFacts(asked) } };
    return bytes;
  } catch (error) {
    const own = lateness ?? (error instanceof EgressProblem ? error : undefined);
    const problem =
      own ?? new EgressProblem("protocol_error", `${asked.url.host.text}: the exchange broke off`, { cause: error });
    if (!client.inside.clientLeft) outcome = failureOf(problem);
    throw problem;
  } finally {
    clearTimeout(lifetime);
    context.cut.removeEventListener("abort", stop);
    socket.destroy();
    admitted.end(outcome);
  }
}

/** Sends the request and passes the answer back. Returns its status. */
async function passOn({ request, response, asked }: Exchange, socket: Socket, context: ProxyContext): Promise<number> {
  // Only now that the request was admitted the server is asked for leave to send the body; it, and nobody else, gives it.
  const waits = asked.framing.kind !== "none" && /^100-continue$/i.test(request.headers.expect ?? "");
  const expect: readonly Field[] = waits ? [["Expect", "100-continue"]] : [];
  const upstream = openRequest(socket, request, asked, context, [["Connection", "close"], ...expect]);
  if (waits) upstream.flushHeaders();
  let allowed = !waits;
  upstream.once("continue", () => (allowed = true));
  passInterim(upstream, response, waits, asked.own);
  const answered = answerOf(upstream);
  let stray: EgressProblem | undefined;
  sendBody(request, response, upstream, asked).catch((error: unknown) => {
    // A server may answer before it took the whole body; then the rest of the body is of no use, and that it was not sent no failure.
    if (error instanceof EgressProblem) stray = error;
  });
  try {
    const answer = await answered;
    // A client that was not given leave may send the body or not: what it sends next could be taken for either.
    if (!allowed) response.shouldKeepAlive = false;
    return await passAnswer(answer, response, socket, asked.own);
  } catch (error) {
    throw stray ?? error;
  }
}

/** Starts the request on the connection that was dialled: one request, one connection. */
export function openRequest(
  socket: Socket,
  request: IncomingMessage,
  { url, framing, own }: AskedRequest,
  context: ProxyContext,
  extra: readonly Field[],
): ClientRequest {
  const { path, fields } = addCredentials({ path: url.path, fields: endToEnd(request.rawHeaders, "request") }, own);
  const headers: Field[] = [
    ["Host", hostHeader(url)],
    ...fields,
    ...framingFields(framing, request.method ?? ""),
    ...extra,
  ];
  const upstream = httpRequest({
    createConnection: () => socket,
    method: request.method ?? "",
    path,
    headers: headers.flat(),
    setHost: false,
    maxHeaderSize: context.limits.headerBytes,
  });
  // Only then the parser listens, which must see nothing that is refused.
  upstream.once("socket", () =>
    watchStatusLines(socket, (problem) => {
      // The first that is heard of the answer: what the parser makes of it comes too late.
      upstream.emit("error", problem);
      socket.destroy();
    }),
  );
  return upstream;
}

function answerOf(upstream: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // A server that switches the protocol unasked gets a close and no error.
  const onClose = () => reject(new Error("closed without an answer"));
  upstream.on("error", reject).once("close", onClose);
  upstream.once("response", (answer) => {
    upstream.off("close", onClose);
    resolve(answer);
  });
  return promise;
}

/** Methods for which Node does not make a body up where none is announced. */
const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

function framingFields(framing: Framing, method: string): readonly Field[] {
  switch (framing.kind) {
    case "none":
      return bodiless.has(method) ? [] : [["Content-Length", "0"]];
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
  return url.port === (url.scheme === "http" ? 80 : 443) ? hostInUrl(url.host) : `${hostInUrl(url.host)}:${url.port}`;
}
