import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { cancelOnAbort, grpcOptions, type CallOptions } from "./call-options.ts";
import { decodeCallError } from "./decode-error.ts";
import { requestStream, type RequestStream } from "./request-stream.ts";
import type { Transport, WireMethod } from "./wire-method.ts";

/** A call that sends and receives at the same time. Iterating gives the responses, once; leaving the loop early cancels the call. */
export interface Duplex<I, O> extends Omit<RequestStream<I>, "isCancelled">, AsyncIterable<O> {}

/** Starts a bidirectional call at once. Iterating @throws SallyportError */
export function duplexCall<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: WireMethod<I, O>,
  options: CallOptions,
): Duplex<MessageInitShape<I>, MessageShape<O>> {
  const call = transport.channel.makeBidiStreamRequest(
    method.path,
    method.encode,
    method.decode,
    transport.metadata(),
    grpcOptions(options),
  );
  call.on("error", () => {});
  const { isCancelled, ...stream } = requestStream(call);
  const stopListening = cancelOnAbort(stream, options.signal);
  call.once("close", stopListening);
  // Leaving the loop must not destroy the stream: that ends it, and `cancel` comes too late to break it off.
  const messages: AsyncIterable<MessageShape<O>> = call.iterator({ destroyOnReturn: false });
  return {
    ...stream,
    async *[Symbol.asyncIterator]() {
      try {
        for await (const message of messages) yield message;
      } catch (error) {
        throw decodeCallError(error, isCancelled());
      } finally {
        stopListening();
        stream.cancel();
      }
    },
  };
}
