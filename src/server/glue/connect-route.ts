import { fromBinary, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextKey,
  createContextKey,
  type HandlerContext,
} from "@connectrpc/connect";
import { Metadata } from "@grpc/grpc-js";
import { PassThrough } from "node:stream";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import { Problem } from "../../model/problem.ts";
import type { Caller } from "../../model/subject.ts";
import type { StatusReply } from "../errors/to-status.ts";
import type { OpenContext } from "./call-context.ts";
import { type AnyCall, conduct } from "./conduct.ts";
import type { Method, ServerStreamHandler, UnaryHandler } from "./handler.ts";
import { methodName } from "./method-name.ts";
import { send } from "./send.ts";
import type { Door, Wiring } from "./wiring.ts";

/** Who makes a call over Connect, as the HTTP listener proved before, and what ends his calls. */
export interface ProvenVisit {
  readonly caller: Caller;
  /** Aborts when the visitor is logged out. */
  readonly ended: AbortSignal;
}

/** Where the listener leaves the visit for the handlers. */
export const visitKey: ContextKey<ProvenVisit | undefined> = createContextKey<ProvenVisit | undefined>(undefined);

/** Puts a method with one request and one answer on a Connect router; it is led like one over gRPC. */
export function connectUnary<I extends DescMessage, O extends DescMessage, C extends OpenContext>(
  router: ConnectRouter,
  wiring: Wiring,
  door: Door<C>,
  method: Method<"unary", I, O>,
  handler: UnaryHandler<I, O, C>,
): void {
  const name = methodName(method);
  router.rpc(method, (request, call) => {
    const { promise, resolve, reject } = Promise.withResolvers<MessageInitShape<O>>();
    void conduct(
      callOf(call),
      name,
      door,
      provenBy(call, wiring),
      async (context) => resolve(await handler(request, context)),
      (status) => reject(errorOf(status)),
    );
    return promise;
  });
}

/** The same for a method with one request and many answers; answers wait where the client is slow. */
export function connectServerStream<I extends DescMessage, O extends DescMessage, C extends OpenContext>(
  router: ConnectRouter,
  wiring: Wiring,
  door: Door<C>,
  method: Method<"server_streaming", I, O>,
  handler: ServerStreamHandler<I, O, C>,
): void {
  const name = methodName(method);
  router.rpc(method, async function* (request, call) {
    const answers = new PassThrough({ objectMode: true, highWaterMark: 1 });
    // Without a listener an error that nobody reads any more would end the process.
    answers.on("error", () => {});
    void conduct(
      callOf(call),
      name,
      door,
      provenBy(call, wiring),
      async (context) => {
        for await (const answer of handler(request, context)) await send(answers, answer, context.signal);
        answers.end();
      },
      (status) => answers.destroy(errorOf(status)),
    );
    yield* answers as AsyncIterable<MessageInitShape<O>>;
  });
}

/** The call as the common glue follows one. Its headers say nothing about who calls: the listener has proven that. */
function callOf(call: HandlerContext): AnyCall {
  const visit = call.values.get(visitKey);
  const signal = visit === undefined ? call.signal : AbortSignal.any([call.signal, visit.ended]);
  const leftMs = call.timeoutMs();
  const deadline = leftMs === undefined ? Infinity : Date.now() + leftMs;
  return {
    metadata: new Metadata(),
    get cancelled() {
      return signal.aborted;
    },
    getDeadline: () => deadline,
    on: (_event, listener) => signal.addEventListener("abort", listener),
    removeListener: (_event, listener) => signal.removeEventListener("abort", listener),
  };
}

function provenBy(call: HandlerContext, wiring: Wiring): Wiring {
  const visit = call.values.get(visitKey);
  return {
    ...wiring,
    identify() {
      if (visit === undefined) throw new Problem("unauthenticated", "log in first");
      return visit.caller;
    },
  };
}

/** gRPC and Connect number their codes alike, and pack their details alike. */
function errorOf({ code, details, metadata }: StatusReply): ConnectError {
  const known: Code | undefined = Object.values(Code).find((each) => Number(each) === code) as Code | undefined;
  const error = new ConnectError(details, known ?? Code.Unknown);
  const [packed] = metadata?.get("grpc-status-details-bin") ?? [];
  if (packed instanceof Uint8Array)
    error.details = fromBinary(StatusSchema, packed).details.map(({ typeUrl, value }) => ({
      type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1),
      value,
    }));
  return error;
}
