import type { CallOptions as GrpcCallOptions } from "@grpc/grpc-js";

/** Limits of one call. */
export interface CallOptions {
  /** Cancels the call when it aborts. */
  readonly signal?: AbortSignal;
  /** Deadline in milliseconds from now; absent: none. */
  readonly timeoutMs?: number;
}

/** The options as grpc-js takes them. */
export function grpcOptions(options: CallOptions): GrpcCallOptions {
  return options.timeoutMs === undefined ? {} : { deadline: Date.now() + options.timeoutMs };
}

/** Cancels `call` when the signal aborts. Returns the function that stops listening, to be called when the call is over. */
export function cancelOnAbort(call: { cancel(): void }, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => {};
  const cancel = (): void => call.cancel();
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}
