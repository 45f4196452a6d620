import type { ServerOptions } from "@grpc/grpc-js";

const mebibyte = 1024 * 1024;

/** Largest request message in bytes: the largest field, a 4 MiB fetch body, with room for all that may stand beside it. */
export const maxReceiveBytes = 5 * mebibyte;

/** Bounds of every listener. */
export const serverLimits: ServerOptions = {
  "grpc.max_receive_message_length": maxReceiveBytes,
  "grpc.max_concurrent_streams": 512,
  // In megabytes. Without it Node takes what one connection sends without bound.
  "grpc-node.max_session_memory": 128,
  // A silent peer is dropped after 80 seconds; its commands end with it.
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  // Statistics that nobody reads cost a tenth of a call.
  "grpc.enable_channelz": 0,
};
