import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { CallContext } from "./call-context.ts";

/** A method's descriptor with its kind and message types. */
export type Method<K extends DescMethod["methodKind"], I extends DescMessage, O extends DescMessage> = DescMethod & {
  readonly methodKind: K;
  readonly input: I;
  readonly output: O;
};

/** One request, one answer. The four shapes are those of Connect, so that the same handlers can serve its endpoints. */
export type UnaryHandler<I extends DescMessage, O extends DescMessage, C> = (
  request: MessageShape<I>,
  context: C,
) => Promise<MessageInitShape<O>>;

/** One request, many answers. The stream ends well where the generator returns. */
export type ServerStreamHandler<I extends DescMessage, O extends DescMessage, C> = (
  request: MessageShape<I>,
  context: C,
) => AsyncIterable<MessageInitShape<O>>;

/** Many requests, one answer. */
export type ClientStreamHandler<I extends DescMessage, O extends DescMessage, C> = (
  requests: AsyncIterable<MessageShape<I>>,
  context: C,
) => Promise<MessageInitShape<O>>;

/** Many requests, many answers, in any order. */
export type BidiHandler<I extends DescMessage, O extends DescMessage, C> = (
  requests: AsyncIterable<MessageShape<I>>,
  context: C,
) => AsyncIterable<MessageInitShape<O>>;

/** The handler of one method, by the type of its descriptor. */
export type HandlerOf<M extends DescMethod, C = CallContext> = {
  unary: UnaryHandler<M["input"], M["output"], C>;
  server_streaming: ServerStreamHandler<M["input"], M["output"], C>;
  client_streaming: ClientStreamHandler<M["input"], M["output"], C>;
  bidi_streaming: BidiHandler<M["input"], M["output"], C>;
}[M["methodKind"]];
