import type { Metadata } from "@grpc/grpc-js";
import { type StatusReply, toStatus } from "../errors/to-status.ts";
import type { OpenContext } from "./call-context.ts";
import { type FollowableCall, followCall } from "./follow-call.ts";
import type { Door, Wiring } from "./wiring.ts";

/** What every kind of grpc-js call has. */
export interface AnyCall extends FollowableCall {
  readonly metadata: Metadata;
}

/**
 * Leads one call: door, handler, status, log line. Never rejects.
 * `act` sends the answers and ends the call well; `fail` ends it with a status.
 */
export async function conduct<C extends OpenContext>(
  call: AnyCall,
  method: string,
  door: Door<C>,
  wiring: Wiring,
  act: (context: C) => Promise<void>,
  fail: (status: StatusReply) => void,
): Promise<void> {
  const { log, calls } = wiring;
  const startedAt = performance.now();
  const { metadata } = call;
  calls.begin();
  const life = followCall(call);
  let code = 0;
  try {
    const open: OpenContext = {
      method,
      signal: life.signal,
      draining: wiring.draining,
      deadline: life.deadline,
      metadata: (name) => metadata.get(name).map(String),
    };
    await act(await door(open, metadata, wiring));
  } catch (error) {
    // What a handler throws after its call was cancelled says less than why it was.
    const reply = toStatus(life.signal.aborted ? life.signal.reason : error, method, log);
    code = reply.code;
    try {
      fail(reply);
    } catch (cause) {
      // Nobody is left to tell; and one call must not end the process.
      log.error({ err: cause, method }, "a status could not be sent");
    }
  } finally {
    life.finish();
    calls.end();
    if (log.isLevelEnabled("debug")) log.debug({ method, code, ms: performance.now() - startedAt }, "call");
  }
}
