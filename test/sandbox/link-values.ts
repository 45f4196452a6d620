import { parseSessionId } from "../../src/model/ids.ts";
import type { ProcessExit } from "../../src/model/runtime.ts";
import type { ProcessBounds, ProcessChannel } from "../../src/sandbox/process-channel.ts";
import { noLimits } from "../../src/wire/encode-spawn.ts";

export const session =
  parseSessionId("session") ??
  (() => {
    throw new Error("no id");
  })();

/** Bounds that no test meets. */
export const bounds: ProcessBounds = {
  timeoutMs: undefined,
  idleMs: undefined,
  outputBytes: undefined,
  pastOutput: "drop",
  graceMs: 60_000,
  killDeadlineMs: 60_000,
  startDeadlineMs: 60_000,
};

export const request = { cwd: "/", argv: ["true"], env: [], stdin: true, limits: noLimits };

/** Reads a command to its exit. */
export async function exitOf(process: ProcessChannel): Promise<ProcessExit> {
  for await (const event of process.events) if (event.kind === "exit") return event;
  throw new Error("no exit came");
}
