import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { cancelOnAbort, grpcOptions, type CallOptions } from "./call-options.ts";
import { decodeError } from "./decode-error.ts";
import type { Transport, WireMethod } from "./wire-method.ts";

/** One request, one response. @throws SallyportError */
export function unaryCall<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: WireMethod<I, O>,
  request: MessageInitShape<I>,
  options: CallOptions,
): Promise<MessageShape<O>> {
  return new Promise((resolve, reject) => {
    const call = transport.channel.makeUnaryRequest(
      method.path,
      method.encode,
      method.decode,
      request,
      transport.metadata(),
      grpcOptions(options),
      (error, response) => {
        stopListening();
        if (error !== null || response === undefined) reject(decodeError(error));
        else resolve(response);
      },
    );
    const stopListening = cancelOnAbort(call, options.signal);
  });
}
