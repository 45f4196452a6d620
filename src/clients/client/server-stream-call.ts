import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { cancelOnAbort, grpcOptions, type CallOptions } from "./call-options.ts";
import { responses } from "./responses.ts";
import type { Transport, WireMethod } from "./wire-method.ts";

/** One request, many responses. The call starts with the first `next` and is cancelled when the loop is left early. @throws SallyportError */
export async function* serverStreamCall<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: WireMethod<I, O>,
  request: MessageInitShape<I>,
  options: CallOptions,
): AsyncGenerator<MessageShape<O>, void, undefined> {
  const call = transport.channel.makeServerStreamRequest(
    method.path,
    method.encode,
    method.decode,
    request,
    transport.metadata(),
    grpcOptions(options),
  );
  // The loop reports errors; without a listener a late one would end the process.
  call.on("error", () => {});
  yield* responses<MessageShape<O>>(call, cancelOnAbort(call, options.signal));
}
