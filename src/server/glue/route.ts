import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import type {
  sendUnaryData,
  Server,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
} from "@grpc/grpc-js";
import type { StatusReply } from "../errors/to-status.ts";
import type { OpenContext } from "./call-context.ts";
import { conduct } from "./conduct.ts";
import { connectServerStream, connectUnary } from "./connect-route.ts";
import { encoderOf } from "./encoder.ts";
import type { BidiHandler, ClientStreamHandler, Method, ServerStreamHandler, UnaryHandler } from "./handler.ts";
import { decodeMessage, sameBytes } from "./decode-message.ts";
import { methodName } from "./method-name.ts";
import { received } from "./received.ts";
import { sendAll } from "./send-all.ts";
import type { Door, Wiring } from "./wiring.ts";

/** A method with its handler, ready to be put on a grpc-js server, and on Connect's router where a browser can call it. */
export interface Route {
  readonly method: DescMethod;
  register(server: Server, wiring: Wiring): void;
  connect?(router: ConnectRouter, wiring: Wiring): void;
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function endWith(call: { emit(event: "error", status: StatusReply): boolean }): (status: StatusReply) => void {
  // The documented way to end a grpc-js stream with a status; `destroy` would send none.
  return (status) => void call.emit("error", status);
}

/** A method with one request and one answer. */
export function unary<I extends DescMessage, O extends DescMessage, C extends OpenContext>(
  door: Door<C>,
  method: Method<"unary", I, O>,
  handler: UnaryHandler<I, O, C>,
): Route {
  const name = methodName(method);
  const encode = encoderOf(method.output);
  return {
    method,
    register(server, wiring) {
      const serve = (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void => {
        void conduct(
          call,
          name,
          door,
          wiring,
          async (context) => {
            const answer = await handler(decodeMessage(method.input, call.request), context);
            reply(null, encode(answer).bytes);
          },
          (status) => reply(status),
        );
      };
      server.register(pathOf(method), serve, sameBytes, sameBytes, "unary");
    },
    connect: (router, wiring) => connectUnary(router, wiring, door, method, handler),
  };
}

/** A method with one request and many answers. */
export function serverStream<I extends DescMessage, O extends DescMessage, C extends OpenContext>(
  door: Door<C>,
  method: Method<"server_streaming", I, O>,
  handler: ServerStreamHandler<I, O, C>,
): Route {
  const name = methodName(method);
  const encode = encoderOf(method.output);
  return {
    method,
    register(server, wiring) {
      const serve = (call: ServerWritableStream<Buffer, Buffer>): void => {
        void conduct(
          call,
          name,
          door,
          wiring,
          (context) => {
            const answers = handler(decodeMessage(method.input, call.request), context);
            return sendAll(call, answers, encode, context.signal, wiring.streamed);
          },
          endWith(call),
        );
      };
      server.register(pathOf(method), serve, sameBytes, sameBytes, "serverStream");
    },
    connect: (router, wiring) => connectServerStream(router, wiring, door, method, handler),
  };
}

/** A method with many requests and one answer. */
export function clientStream<I extends DescMessage, O extends DescMessage, C extends OpenContext>(
  door: Door<C>,
  method: Method<"client_streaming", I, O>,
  handler: ClientStreamHandler<I, O, C>,
): Route {
  const name = methodName(method);
  const encode = encoderOf(method.output);
  return {
    method,
    register(server, wiring) {
      const serve = (call: ServerReadableStream<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void => {
        void conduct(
          call,
          name,
          door,
          wiring,
          async (context) => {
            const answer = await handler(received(call, method.input, context.signal, wiring.streamed), context);
            reply(null, encode(answer).bytes);
          },
          (status) => reply(status),
        );
      };
      server.register(pathOf(method), serve, sameBytes, sameBytes, "clientStream");
    },
  };
}

/** A method with many requests and many answers. */
export function bidi<I extends DescMessage, O extends DescMessage, C extends OpenContext>(
  door: Door<C>,
  method: Method<"bidi_streaming", I, O>,
  handler: BidiHandler<I, O, C>,
): Route {
  const name = methodName(method);
  const encode = encoderOf(method.output);
  return {
    method,
    register(server, wiring) {
      const serve = (call: ServerDuplexStream<Buffer, Buffer>): void => {
        void conduct(
          call,
          name,
          door,
          wiring,
          (context) => {
            const answers = handler(received(call, method.input, context.signal, wiring.streamed), context);
            return sendAll(call, answers, encode, context.signal, wiring.streamed);
          },
          endWith(call),
        );
      };
      server.register(pathOf(method), serve, sameBytes, sameBytes, "bidi");
    },
  };
}
