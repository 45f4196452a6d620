import type { CommandLimits } from "../../gen/sallyport/v1/exec_pb.ts";
import type { ExecLimits } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import type { SandboxLimits } from "../../model/runtime.ts";
import { decodeCount } from "./numbers.ts";

type Narrowed = Pick<ExecLimits, "memoryBytes" | "cpuMs" | "pids" | "openFiles" | "fileBytes">;

/** Limits of one command, within its session's. What is 0 is left out. @throws Problem `invalid_argument` for one above the session's. */
export function decodeCommandLimits(field: string, sent: CommandLimits | undefined, session: SandboxLimits): Narrowed {
  if (sent === undefined) return {};
  return {
    ...narrowed(
      `${field}.memory_bytes`,
      "memoryBytes",
      decodeCount(`${field}.memory_bytes`, sent.memoryBytes),
      session,
    ),
    ...narrowed(`${field}.pids`, "pids", sent.pids, session),
    ...narrowed(`${field}.open_files`, "openFiles", sent.openFiles, session),
    ...narrowed(`${field}.file_bytes`, "fileBytes", decodeCount(`${field}.file_bytes`, sent.fileBytes), session),
    ...(sent.cpuMs === 0 ? {} : { cpuMs: sent.cpuMs }),
  };
}

function narrowed(
  field: string,
  name: keyof Narrowed & keyof SandboxLimits,
  value: number,
  session: SandboxLimits,
): Narrowed {
  const most = session[name];
  if (most !== undefined && value > most) throw invalid(field, `${value} is above the session's limit of ${most}`);
  return value === 0 ? {} : { [name]: value };
}
