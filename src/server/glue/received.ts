import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Problem } from "../../model/problem.ts";
import { isHalfClose } from "./half-close.ts";
import { decodeMessage } from "./decode-message.ts";
import type { Wiring } from "./wiring.ts";

/** The readable half of a grpc-js call. */
export interface RequestStream {
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Buffer>;
}

/**
 * The requests of a streaming call, decoded as they are taken; what is not taken slows the caller.
 * Ends where the caller half-closes. Rejects with the signal's reason where the call ended otherwise.
 */
export function received<D extends DescMessage>(
  call: RequestStream,
  schema: D,
  signal: AbortSignal,
  streamed: Wiring["streamed"],
): AsyncIterable<MessageShape<D>> {
  // Without `destroyOnReturn: false` the end of the input destroys the whole duplex on some Node versions, and no status goes out.
  const raw = call.iterator({ destroyOnReturn: false });
  let left = false;
  const iterator: AsyncIterator<MessageShape<D>> = {
    async next() {
      if (left) return { done: true, value: undefined };
      try {
        const step = await raw.next();
        if (step.done === true) {
          if (!(await isHalfClose(call))) throw new Problem("cancelled", "the caller cancelled or hung up");
          return { done: true, value: undefined };
        }
        streamed(step.value.length);
        return { done: false, value: decodeMessage(schema, step.value) };
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    // Not passed on: the stream is destroyed with the call, and a pending read of it would hold a `return` up until then.
    return() {
      left = true;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
