import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { cancelOnAbort, grpcOptions, type CallOptions } from "./call-options.ts";
import { decodeError } from "./decode-error.ts";
import { sendQueue } from "./send-queue.ts";
import type { Transport, WireMethod } from "./wire-method.ts";

/**
 * Many requests, one response. The requests are pulled only as fast as the server takes them, some ahead: their bytes must stay as they are until the call is over. Where the source throws, the
 * call is cancelled and the source's error is thrown. @throws SallyportError
 */
export async function clientStreamCall<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: WireMethod<I, O>,
  requests: AsyncIterable<MessageInitShape<I>>,
  options: CallOptions,
): Promise<MessageShape<O>> {
  const { promise, resolve, reject } = Promise.withResolvers<MessageShape<O>>();
  const call = transport.channel.makeClientStreamRequest(
    method.path,
    method.encode,
    method.decode,
    transport.metadata(),
    grpcOptions(options),
    (error, response) => {
      if (error !== null || response === undefined) reject(decodeError(error));
      else resolve(response);
    },
  );
  call.on("error", () => {});
  const queue = sendQueue(call);
  const stopListening = cancelOnAbort(call, options.signal);
  // Where pumping fails its error is the one to throw; the response's rejection then only follows from the cancellation.
  promise.catch(() => {});
  try {
    await Promise.race([promise, pump()]);
    return await promise;
  } finally {
    stopListening();
  }

  async function pump(): Promise<void> {
    try {
      for await (const request of requests) if (!(await queue.send(request))) return;
      queue.end();
    } catch (error) {
      call.cancel();
      throw error;
    }
  }
}
