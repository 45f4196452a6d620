import { Duplex } from "node:stream";

/** What is used of Node's HTTP/2 stream. */
export interface CallStream {
  readonly aborted: boolean;
  readonly closed: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  /** True once the answer has begun. */
  readonly headersSent: boolean;
  readonly session?: CallSession;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
  /** Holds writes back until `uncork`, which hands them on in one piece. */
  cork(): void;
  uncork(): void;
}

/** What is used of Node's HTTP/2 session. */
export interface CallSession {
  readonly destroyed: boolean;
  ping(done: (error: Error | null) => void): boolean;
}

/** The HTTP/2 stream of a call on a grpc-js server, taken from where it keeps it; undefined where a new version keeps it elsewhere. */
export function callStream(call: object): CallStream | undefined {
  const inner: unknown = Reflect.get(call, "call");
  const stream: unknown = typeof inner === "object" && inner !== null ? Reflect.get(inner, "stream") : undefined;
  const known = stream instanceof Duplex && "aborted" in stream && "session" in stream && "headersSent" in stream;
  return known ? (stream as unknown as CallStream) : undefined;
}
