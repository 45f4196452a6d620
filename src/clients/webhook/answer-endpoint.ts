import { toJson } from "@bufbuild/protobuf";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { AnswerResponseSchema } from "../../gen/sallyport/v1/approvals_pb.ts";
import { type ErrorCode, SallyportError } from "../client/sallyport-error.ts";
import type { SurfaceLog, SurfacePort } from "../surface/surface-port.ts";
import { readAnswer } from "./read-answer.ts";
import type { ReplayGuard } from "./replay-guard.ts";
import { holds, readSignature, signatureHeader } from "./signature.ts";

/** What the endpoint works with. */
export interface AnswerEndpointParts {
  readonly port: SurfacePort;
  readonly secret: string;
  readonly guard: ReplayGuard;
  readonly log: SurfaceLog;
  /** PEM; undefined: plain HTTP, on the loopback only. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

/** Takes signed answers over connections that somebody else accepts. */
export interface AnswerEndpoint {
  accept(socket: Socket): void;
  /** Cuts every connection. */
  close(): void;
}

/** Where answers are posted. */
export const answersPath = "/v1/answers";

/** An edited text of 64 KiB, with every byte escaped, has room. */
const maxBodyBytes = 512 * 1024;
const maxConnections = 64;
/** Milliseconds that one connection may take: it carries one request. */
const connectionMs = 20_000;

/** Makes the endpoint. It answers nothing before the signature holds, and each connection once. */
export function createAnswerEndpoint(parts: AnswerEndpointParts): AnswerEndpoint {
  const sockets = new Set<Socket>();
  const serve = (request: IncomingMessage, response: ServerResponse): void => void answer(request, response, parts);
  const limits = { maxHeaderSize: 8192, insecureHTTPParser: false };
  const server =
    parts.tls === undefined
      ? createServer(limits, serve)
      : createTlsServer({ ...limits, ...parts.tls, minVersion: "TLSv1.2" }, serve);
  server.on("clientError", (_error, socket) => void socket.destroy());
  server.on("tlsClientError", () => undefined);
  return {
    accept(socket) {
      socket.on("error", () => undefined);
      if (sockets.size >= maxConnections) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      const timer = setTimeout(() => socket.destroy(), connectionMs);
      socket.once("close", () => {
        clearTimeout(timer);
        sockets.delete(socket);
      });
      server.emit("connection", socket);
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: AnswerEndpointParts): Promise<void> {
  response.setHeader("connection", "close");
  response.on("error", () => undefined);
  try {
    const body = await signedBody(request, parts);
    const { person, name, request: wanted } = readAnswer(body);
    parts.log.info({ person, name, question: wanted.questionId }, "a program answers for a person");
    const done = await parts.port.answer(wanted, person);
    reply(response, 200, toJson(AnswerResponseSchema, done, { alwaysEmitImplicit: true }));
  } catch (error) {
    if (response.destroyed) return;
    const known = error instanceof SallyportError ? error : new SallyportError("internal", "internal error");
    if (known !== error) parts.log.warn({ err: error }, "an answer failed for an internal reason");
    if (known.code === "unauthenticated") parts.log.warn({ reason: known.message }, "an answer was refused");
    reply(response, statusOf(known.code), {
      error: { code: known.code, message: known.message, ...(known.field === undefined ? {} : { field: known.field }) },
    });
  }
}

/** The body, once everything about the request and its signature is right. @throws SallyportError */
async function signedBody(request: IncomingMessage, { secret, guard }: AnswerEndpointParts): Promise<Uint8Array> {
  if (request.url !== answersPath) throw new SallyportError("not_found", `only ${answersPath} is here`);
  if (request.method !== "POST") throw new SallyportError("unimplemented", "only POST is taken");
  if (!/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? ""))
    throw new SallyportError("invalid_argument", "content-type: must be application/json");
  const header = request.headers[signatureHeader];
  const signature = readSignature(typeof header === "string" ? header : undefined);
  if (signature === undefined) throw refused(`${signatureHeader}: must be t=SECONDS,v1=64 hexadecimal digits`);
  const stale = guard.early(signature.time);
  if (stale !== undefined) throw refused(`${signatureHeader}: ${stale}`);
  const body = await bodyOf(request);
  if (!holds(signature, secret, "answer", body)) throw refused(`${signatureHeader}: does not hold`);
  const used = guard.use(signature);
  if (used === "too many answers") throw new SallyportError("resource_exhausted", used);
  if (used !== undefined) throw refused(`${signatureHeader}: ${used}`);
  return body;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new SallyportError("out_of_range", `body: larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refused(message: string): SallyportError {
  return new SallyportError("unauthenticated", message);
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(`${JSON.stringify(value)}\n`);
}

/** The HTTP status that a code means (google/rpc/code.proto names them). */
function statusOf(code: ErrorCode): number {
  switch (code) {
    case "invalid_argument":
      return 400;
    case "unauthenticated":
      return 401;
    case "permission_denied":
      return 403;
    case "not_found":
      return 404;
    case "unimplemented":
      return 405;
    case "already_exists":
    case "aborted":
    case "failed_precondition":
      return 409;
    case "out_of_range":
      return 413;
    case "resource_exhausted":
      return 429;
    case "unavailable":
    case "cancelled":
      return 503;
    default:
      return 500;
  }
}
