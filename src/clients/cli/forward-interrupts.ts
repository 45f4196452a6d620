import { constants } from "node:os";
import type { ExecCall } from "../client/exec-call.ts";

/** What the handlers of SIGINT, SIGTERM and SIGHUP know of the command. */
export interface Interrupts {
  /** The command runs: from now on it gets the first Ctrl-C itself. */
  started(): void;
  /** The signal that made us cancel the call; undefined where none did. */
  cancelledBy(): number | undefined;
  stop(): void;
}

// How long a command may clean up after Ctrl-C.
const graceMs = 2000;

/**
 * Ctrl-C reaches the command as SIGINT and, where it does not end within two seconds, cancels it; before it runs, Ctrl-C withdraws the request. A second Ctrl-C
 * leaves at once: the broken connection makes the server kill the command. SIGTERM and SIGHUP cancel.
 */
export function forwardInterrupts(call: ExecCall, note: (text: string) => void): Interrupts {
  let running = false;
  let by: number | undefined;
  let interrupts = 0;
  let grace: NodeJS.Timeout | undefined;
  function cancel(signal: number): void {
    by ??= signal;
    call.cancel();
  }
  function onInterrupt(): void {
    interrupts += 1;
    if (interrupts > 1) process.exit(128 + constants.signals.SIGINT);
    if (!running) return cancel(constants.signals.SIGINT);
    call.signal(constants.signals.SIGINT);
    grace = setTimeout(() => cancel(constants.signals.SIGINT), graceMs);
    if (process.stderr.isTTY) note("interrupted; once more to leave at once");
  }
  const onTerminate = (): void => cancel(constants.signals.SIGTERM);
  const onHangUp = (): void => cancel(constants.signals.SIGHUP);
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  process.on("SIGHUP", onHangUp);
  return {
    started() {
      running = true;
    },
    cancelledBy: () => by,
    stop() {
      clearTimeout(grace);
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onTerminate);
      process.off("SIGHUP", onHangUp);
    },
  };
}
