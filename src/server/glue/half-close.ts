import { Duplex } from "node:stream";

/** What is used of Node's HTTP/2 stream. */
interface CallStream {
  readonly aborted: boolean;
  readonly closed: boolean;
  readonly session?: { readonly destroyed: boolean; ping(done: (error: Error | null) => void): boolean };
}

/**
 * Tells the end of a caller's input from its cancellation; false for the latter.
 *
 * A caller on Node that cancels ends its stream first and resets it then: for a moment this looks like a half-close, and a file that was cut off in the
 * middle would count as whole. So the caller is pinged. Both frames leave it together, before the answer to a ping that was sent after the first, and
 * frames arrive in order. grpc-js has no way to ask for this, so its HTTP/2 stream is taken from where it keeps it.
 * @throws Error where grpc-js keeps it elsewhere: no input ends then, rather than too early.
 */
export async function isHalfClose(call: object): Promise<boolean> {
  const stream = streamOf(call);
  const { session } = stream;
  if (isReset(stream) || session === undefined || session.destroyed) return false;
  const answered = await new Promise<boolean>((resolve) => {
    if (!session.ping((error) => resolve(error === null))) resolve(false);
  });
  return answered && !isReset(stream);
}

function isReset(stream: CallStream): boolean {
  return stream.aborted || stream.closed;
}

function streamOf(call: object): CallStream {
  const inner: unknown = Reflect.get(call, "call");
  const stream: unknown = typeof inner === "object" && inner !== null ? Reflect.get(inner, "stream") : undefined;
  if (stream instanceof Duplex && "aborted" in stream && "session" in stream) return stream as unknown as CallStream;
  throw new Error("this version of grpc-js keeps its HTTP/2 stream elsewhere");
}
