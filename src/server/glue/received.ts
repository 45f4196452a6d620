import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { decodeMessage } from "./decode-message.ts";
import { isHalfClose } from "./half-close.ts";
import { hungUp } from "./hung-up.ts";
import type { Wiring } from "./wiring.ts";

/** The readable half of a grpc-js call. */
export interface RequestStream {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  read(): Buffer | null;
  on(event: "readable" | "end" | "error" | "close", listener: () => void): unknown;
}

/**
 * The requests of a streaming call, decoded as they are taken; what is not taken slows the caller.
 * Ends where the caller half-closes. Rejects with the signal's reason where the call ended otherwise.
 *
 * Read by hand: Node's own iterator destroys the whole duplex at the end of the input on some versions, so that no status goes out, and it makes an error with a stack
 * at the end of each call whose input was not closed, which is most.
 */
export function received<D extends DescMessage>(
  call: RequestStream,
  schema: D,
  signal: AbortSignal,
  streamed: Wiring["streamed"],
): AsyncIterable<MessageShape<D>> {
  let left = false;
  let wake: (() => void) | undefined;
  const onChange = (): void => {
    wake?.();
    wake = undefined;
  };
  const events = ["readable", "end", "error", "close"] as const;
  for (const event of events) call.on(event, onChange);

  /** The next message as it came; undefined at the end of the input. */
  async function take(): Promise<Buffer | undefined> {
    for (;;) {
      // Read first: what came before the end counts.
      const bytes = call.destroyed ? null : call.read();
      if (bytes !== null) return bytes;
      if (call.readableEnded) return undefined;
      if (call.destroyed) throw hungUp;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  const iterator: AsyncIterator<MessageShape<D>> = {
    async next() {
      if (left) return { done: true, value: undefined };
      try {
        const bytes = await take();
        if (bytes === undefined) {
          if (!(await isHalfClose(call))) throw hungUp;
          return { done: true, value: undefined };
        }
        streamed(bytes.length);
        return { done: false, value: decodeMessage(schema, bytes) };
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    // A pending read is left alone: it ends with the call, and would hold a `return` up until then.
    return() {
      left = true;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
