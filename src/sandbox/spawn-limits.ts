import type { ExecLimits } from "../model/intent.ts";
import type { SandboxLimits } from "../model/runtime.ts";
import type { SpawnLimits } from "../wire/encode-spawn.ts";

/** The limits that init and its guard hold for one command: the narrower of the command's and the sandbox's, where no control group does it. */
export function spawnLimits(command: ExecLimits, sandbox: SandboxLimits): SpawnLimits {
  return {
    openFiles: narrower(command.openFiles, sandbox.openFiles),
    fileBytes: narrower(command.fileBytes, sandbox.fileBytes),
    processes: command.pids ?? 0,
    memoryBytes: command.memoryBytes ?? 0,
    cpuMicros: (command.cpuMs ?? 0) * 1000,
  };
}

/** 0: none. */
function narrower(one: number | undefined, other: number | undefined): number {
  const least = Math.min(one ?? Infinity, other ?? Infinity);
  return least === Infinity ? 0 : least;
}
