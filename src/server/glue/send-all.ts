import type { RoomyBytes } from "../../model/roomy-bytes.ts";
import { type CallStream, callStream } from "./call-stream.ts";
import type { Encoded } from "./encoder.ts";
import { hungUp } from "./hung-up.ts";
import type { Wiring } from "./wiring.ts";

/** The writable half of a grpc-js call. */
export interface AnsweringCall {
  /** `done` is called when the message is written. */
  write(message: Buffer, done: () => void): boolean;
  end(): unknown;
}

/** Chunks on their way to the client at once: one is sent while the next is read. */
const mostFrames = 2;

/** Bytes of the head of a gRPC message: no compression, and the length. */
const headBytes = 5;

/**
 * Sends the answers of a stream, as fast as the client takes them, and ends the call.
 * grpc-js copies each message into a buffer of its own, which for a large file is most of the work. A chunk that has room before it is written to the HTTP/2 stream as it is, and its
 * buffer goes back to whom it belongs. Where grpc-js keeps that stream elsewhere, chunks take its way.
 * @throws the signal's reason; what `answers` throws
 */
export async function sendAll<M>(
  call: AnsweringCall,
  answers: AsyncIterable<M>,
  encode: (answer: M) => Encoded,
  signal: AbortSignal,
  streamed: Wiring["streamed"],
): Promise<void> {
  const stream = callStream(call);
  const send = senderOf(call, stream, signal, streamed);
  for await (const answer of answers) {
    const full = send(encode(answer));
    if (full !== undefined) await full;
  }
  signal.throwIfAborted();
  call.end();
}

/** Makes the function that sends one message. It returns a promise where the caller has to wait until the client took some. */
function senderOf(
  call: AnsweringCall,
  stream: CallStream | undefined,
  signal: AbortSignal,
  streamed: Wiring["streamed"],
): (message: Encoded) => Promise<void> | undefined {
  /** Messages in grpc-js, chunks in the HTTP/2 stream, and whether that one broke off. */
  const under = { messages: 0, frames: 0, broken: false };
  let wake = (): void => {};
  signal.addEventListener("abort", () => wake(), { once: true });

  async function until(isDone: () => boolean): Promise<void> {
    while (!isDone() && !under.broken && !signal.aborted)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    signal.throwIfAborted();
    // HTTP/2 streams fail for no other reason; the signal tells of it a moment later.
    if (under.broken) throw hungUp;
  }

  function written(): void {
    under.messages -= 1;
    if (under.messages === 0) wake();
  }

  function sendFrame(to: CallStream, bytes: Buffer, roomy: RoomyBytes): Promise<void> | undefined {
    if (to.destroyed || to.closed || to.writableEnded) throw hungUp;
    const head = Buffer.from(bytes.buffer, bytes.byteOffset - headBytes, headBytes + bytes.length);
    head.writeUInt8(0, 0);
    head.writeUInt32BE(bytes.length, 1);
    under.frames += 1;
    to.write(head, (error) => {
      under.frames -= 1;
      // Of a stream that broke off, the bytes may be on their way still.
      if (error === null || error === undefined) roomy.giveBack?.();
      else under.broken = true;
      wake();
    });
    return under.frames < mostFrames ? undefined : until(() => under.frames < mostFrames);
  }

  return ({ bytes, roomy }) => {
    signal.throwIfAborted();
    streamed(roomy?.giveBack === undefined ? bytes.length : roomy.leftBehind);
    // The head of the stream goes with grpc-js's first message.
    if (roomy !== undefined && stream?.headersSent === true)
      return under.messages === 0
        ? sendFrame(stream, bytes, roomy)
        : until(() => under.messages === 0).then(() => sendFrame(stream, bytes, roomy));
    under.messages += 1;
    return call.write(bytes, written) ? undefined : until(() => under.messages === 0);
  };
}
