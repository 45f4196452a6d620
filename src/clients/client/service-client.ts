import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { GenService, GenServiceMethods } from "@bufbuild/protobuf/codegenv2";
import type { CallOptions } from "./call-options.ts";
import { clientStreamCall } from "./client-stream-call.ts";
import { duplexCall, type Duplex } from "./duplex-call.ts";
import { exhausted } from "../text/exhausted.ts";
import { serverStreamCall } from "./server-stream-call.ts";
import { unaryCall } from "./unary-call.ts";
import { wireMethod, type Transport } from "./wire-method.ts";

type Shape<K extends DescMethod["methodKind"]> = { methodKind: K; input: DescMessage; output: DescMessage };
type Init<M extends { input: DescMessage }> = MessageInitShape<M["input"]>;
type Out<M extends { output: DescMessage }> = MessageShape<M["output"]>;

/** One method as a function: unary gives a promise, a server stream an async iterable, a bidirectional stream a Duplex. */
export type MethodClient<M> =
  M extends Shape<"unary">
    ? (request: Init<M>, options?: CallOptions) => Promise<Out<M>>
    : M extends Shape<"server_streaming">
      ? (request: Init<M>, options?: CallOptions) => AsyncGenerator<Out<M>, void, undefined>
      : M extends Shape<"client_streaming">
        ? (requests: AsyncIterable<Init<M>>, options?: CallOptions) => Promise<Out<M>>
        : M extends Shape<"bidi_streaming">
          ? (options?: CallOptions) => Duplex<Init<M>, Out<M>>
          : never;

/** Every method of a service, under its generated name. */
export type ServiceClient<Methods extends GenServiceMethods> = {
  readonly [K in keyof Methods]: MethodClient<Methods[K]>;
};

/** Makes the methods of a generated service callable over a transport. */
export function serviceClient<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
  transport: Transport,
): ServiceClient<Methods> {
  const methods: Record<string, unknown> = {};
  const described: Record<string, DescMethod> = service.method;
  for (const [name, method] of Object.entries(described)) methods[name] = methodClient(method, transport);
  // The loop above fills in exactly the keys of the service; a mapped type cannot be built key by key.
  return methods as ServiceClient<Methods>;
}

function methodClient(method: DescMethod, transport: Transport): unknown {
  const wire = wireMethod(method);
  switch (method.methodKind) {
    case "unary":
      return (request: MessageInitShape<DescMessage>, options: CallOptions = {}) =>
        unaryCall(transport, wire, request, options);
    case "server_streaming":
      return (request: MessageInitShape<DescMessage>, options: CallOptions = {}) =>
        serverStreamCall(transport, wire, request, options);
    case "client_streaming":
      return (requests: AsyncIterable<MessageInitShape<DescMessage>>, options: CallOptions = {}) =>
        clientStreamCall(transport, wire, requests, options);
    case "bidi_streaming":
      return (options: CallOptions = {}) => duplexCall(transport, wire, options);
    default:
      return exhausted(method.methodKind);
  }
}
