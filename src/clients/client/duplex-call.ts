import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { cancelOnAbort, grpcOptions, type CallOptions } from "./call-options.ts";
import { responses } from "./responses.ts";
import { sendQueue, type SendQueue } from "./send-queue.ts";
import type { Transport, WireMethod } from "./wire-method.ts";

/** A call that sends and receives at the same time. Iterating gives the responses, once; leaving the loop early cancels the call. */
export interface Duplex<I, O> extends SendQueue<I>, AsyncIterable<O> {
  /** Cancels both directions. Harmless once the call is over. */
  cancel(): void;
}

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
  const stopListening = cancelOnAbort(call, options.signal);
  call.once("close", stopListening);
  return {
    ...sendQueue(call),
    cancel: () => call.cancel(),
    [Symbol.asyncIterator]: () => responses<MessageShape<O>>(call, stopListening),
  };
}
