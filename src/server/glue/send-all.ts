import { Metadata } from "@grpc/grpc-js";
import { type CallStream, callStream } from "./call-stream.ts";
import type { Encoded } from "./encoder.ts";
import { hungUp } from "./hung-up.ts";
import type { Wiring } from "./wiring.ts";

/** The writable half of a grpc-js call. */
export interface AnsweringCall {
  sendMetadata(metadata: Metadata): void;
  /** `done` is called when the message is written. */
  write(message: Buffer, done: () => void): boolean;
  end(): unknown;
}

/** Two large chunks are on their way to the client at once, one is sent while the next is read; of small messages more, so that they go together. */
const enough = { frames: 2, bytes: 65_536 };

/** Messages on their way at most, however small. */
const mostFrames = 256;

/** Bytes of the head of a gRPC message: no compression, and the length. */
const headBytes = 5;

/**
 * Sends the answers of a stream, as fast as the client takes them, and ends the call.
 * grpc-js copies each message into a buffer of its own, which for a large file is most of the work, and hands one on only when the one before is gone. So messages are written to the HTTP/2
 * stream behind it, those of one turn of the loop together; a chunk that has room before it as it is, and its buffer goes back to whom it belongs. Where grpc-js keeps that stream elsewhere,
 * messages take its way.
 * @throws the signal's reason; what `answers` throws
 */
export async function sendAll<M>(
  call: AnsweringCall,
  answers: AsyncIterable<M>,
  encode: (answer: M) => Encoded,
  signal: AbortSignal,
  streamed: Wiring["streamed"],
): Promise<void> {
  const send = senderOf(call, signal, streamed);
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
  signal: AbortSignal,
  streamed: Wiring["streamed"],
): (message: Encoded) => Promise<void> | undefined {
  const stream = callStream(call);
  /** What is on its way, and whether the stream broke off or holds back what comes in this turn. */
  const under = { frames: 0, bytes: 0, broken: false, held: false };
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

  const hasRoom = (): boolean =>
    under.frames < enough.frames || (under.bytes < enough.bytes && under.frames < mostFrames);

  function hold(to: CallStream): void {
    if (under.held) return;
    under.held = true;
    to.cork();
    // After everything that is ready by now.
    process.nextTick(() => {
      under.held = false;
      to.uncork();
    });
  }

  function sendFrame(to: CallStream, message: Encoded): Promise<void> | undefined {
    if (to.destroyed || to.closed || to.writableEnded) throw hungUp;
    const frame = frameOf(message);
    under.frames += 1;
    under.bytes += frame.length;
    hold(to);
    to.write(frame, (error) => {
      under.frames -= 1;
      under.bytes -= frame.length;
      // Of a stream that broke off, the bytes may be on their way still.
      if (error === null || error === undefined) message.roomy?.giveBack?.();
      else under.broken = true;
      wake();
    });
    return hasRoom() ? undefined : until(hasRoom);
  }

  function sendMessage({ bytes }: Encoded): Promise<void> | undefined {
    under.frames += 1;
    const isTaken = call.write(bytes, () => {
      under.frames -= 1;
      wake();
    });
    return isTaken ? undefined : until(() => under.frames === 0);
  }

  return (message) => {
    signal.throwIfAborted();
    const { bytes, roomy } = message;
    streamed(roomy?.giveBack === undefined ? bytes.length : roomy.leftBehind);
    // With the first message, since a call that fails before it has no head. A call that is cancelled gets none.
    if (stream?.headersSent === false) call.sendMetadata(new Metadata());
    return stream?.headersSent === true ? sendFrame(stream, message) : sendMessage(message);
  };
}

/** A message behind its head: in its room, or copied where it has none. */
function frameOf({ bytes, roomy }: Encoded): Buffer {
  const frame =
    roomy === undefined
      ? Buffer.allocUnsafe(headBytes + bytes.length)
      : Buffer.from(bytes.buffer, bytes.byteOffset - headBytes, headBytes + bytes.length);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(bytes.length, 1);
  if (roomy === undefined) frame.set(bytes, headBytes);
  return frame;
}
