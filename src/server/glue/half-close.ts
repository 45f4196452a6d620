import { type CallSession, type CallStream, callStream } from "./call-stream.ts";

/**
 * Tells the end of a caller's input from its cancellation; false for the latter.
 *
 * A caller on Node that cancels ends its stream first and resets it then: for a moment this looks like a half-close, and a file that was cut off in the
 * middle would count as whole. So the caller is pinged, twice: the answer to the first may overtake a reset that waits to be sent, since nghttp2 puts answers in
 * front, but both leave before the answer to the second, and frames arrive in order. grpc-js has no way to ask for this.
 * @throws Error where grpc-js keeps it elsewhere: no input ends then, rather than too early.
 */
export async function isHalfClose(call: object): Promise<boolean> {
  const stream = callStream(call);
  if (stream === undefined) throw new Error("this version of grpc-js keeps its HTTP/2 stream elsewhere");
  const { session } = stream;
  if (session === undefined) return false;
  for (let pings = 0; pings < 2; pings += 1) if (isReset(stream) || !(await answers(session))) return false;
  return !isReset(stream);
}

function answers(session: CallSession): Promise<boolean> {
  if (session.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    if (!session.ping((error) => resolve(error === null))) resolve(false);
  });
}

function isReset(stream: CallStream): boolean {
  return stream.aborted || stream.closed;
}
