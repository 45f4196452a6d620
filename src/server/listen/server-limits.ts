import { Server, type ServerOptions } from "@grpc/grpc-js";

const mebibyte = 1024 * 1024;

/** Largest request message in bytes: the largest field, a 4 MiB fetch body, with room for all that may stand beside it. */
const maxReceiveBytes = 5 * mebibyte;

/** Bytes that a caller may send on one stream before it is read: Node's 64 KiB halve the speed of writes. */
const receiveWindow = mebibyte;

/** Calls at once on one connection. */
const maxStreams = 512;

/** Bounds of every listener. */
const limits: ServerOptions = {
  "grpc.max_receive_message_length": maxReceiveBytes,
  "grpc.max_concurrent_streams": maxStreams,
  // In megabytes. Without it Node takes what one connection sends without bound.
  "grpc-node.max_session_memory": 128,
  // A silent peer is dropped after 80 seconds; its commands end with it.
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  // Statistics that nobody reads cost a tenth of a call.
  "grpc.enable_channelz": 0,
};

/**
 * Makes a grpc-js server within the limits, without handlers.
 *
 * Some settings of the HTTP/2 server underneath have no option in grpc-js 1.14, so they are set where it keeps them:
 * - the receive window;
 * - that each call may ping its caller (see `half-close.ts`);
 * - that a header with a blank at its end is passed on. By default it is dropped in silence, and a caller whose token ends in a blank would be taken for
 *   one without a token: on the socket, for the owner.
 * @throws Error where grpc-js keeps them elsewhere, so that an update cannot lose them unnoticed.
 */
export function limitedServer(): Server {
  const server = new Server(limits);
  const http2Options: unknown = Reflect.get(server, "commonServerOptions");
  if (typeof http2Options !== "object" || http2Options === null || !("settings" in http2Options))
    throw new Error("this version of grpc-js keeps its HTTP/2 settings elsewhere");
  Object.assign(http2Options, { strictFieldWhitespaceValidation: false, maxOutstandingPings: maxStreams });
  Object.assign(http2Options.settings ?? {}, { initialWindowSize: receiveWindow });
  return server;
}
