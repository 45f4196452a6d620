import type { Metadata } from "@grpc/grpc-js";
import type { Logger } from "pino";
import type { Caller } from "../../model/subject.ts";
import type { Awaitable } from "../ports/awaitable.ts";
import type { ActiveCalls } from "./active-calls.ts";
import type { CallContext, OpenContext } from "./call-context.ts";

/** What the calls of one listener share. */
export interface Wiring {
  readonly log: Logger;
  readonly calls: ActiveCalls;
  readonly draining: AbortSignal;
  /** Told of the bytes of every message of a stream. */
  readonly streamed: (bytes: number) => void;
  /** Proves who calls on this listener. @throws Problem `unauthenticated`. */
  identify(metadata: Metadata): Awaitable<Caller>;
}

/** What a call must show before its handler runs. */
export type Door<C> = (context: OpenContext, metadata: Metadata, wiring: Wiring) => Awaitable<C>;

/** For health and reflection: anybody who reaches the listener. */
export const openDoor: Door<OpenContext> = (context) => context;

/** For everything else: who is proven, while the server is not shutting down. */
export const provenDoor: Door<CallContext> = (context, metadata, wiring) => {
  wiring.draining.throwIfAborted();
  const caller = wiring.identify(metadata);
  return caller instanceof Promise ? caller.then((found) => ({ ...context, caller: found })) : { ...context, caller };
};
