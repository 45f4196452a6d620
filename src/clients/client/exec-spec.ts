import type { MessageInitShape } from "@bufbuild/protobuf";
import { DisconnectPolicy, type ExecStartSchema } from "../../gen/sallyport/v1/exec_pb.ts";
import { commandInit, type ExecCommand } from "./command-init.ts";

/** A terminal's size in character cells. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Limits of one command, within its session's. */
export interface ExecLimits {
  /** Of the command and everything that it started, as are the next two. */
  readonly memoryBytes?: number;
  readonly cpuMs?: number;
  readonly pids?: number;
  /** Of each process. */
  readonly openFiles?: number;
  /** Of each file that is written. */
  readonly fileBytes?: number;
}

/** What to run and how; what is absent has the server's default. */
export interface ExecSpec {
  readonly command: ExecCommand;
  readonly sessionId?: string;
  /** Absolute. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** True where `writeStdin` will be used; otherwise the command reads end of file at once. */
  readonly stdin?: boolean;
  /** Runs on a terminal. */
  readonly pty?: TerminalSize;
  readonly timeoutMs?: number;
  /** Ends it after so long without output and input. */
  readonly idleTimeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** Ends it where its output would pass `maxOutputBytes`, instead of dropping the rest. */
  readonly endAtMaxOutput?: boolean;
  /** From SIGTERM to SIGKILL where it is ended. */
  readonly graceMs?: number;
  /** `keep`: it goes on in the background where the call ends before it does. */
  readonly onDisconnect?: "kill" | "keep";
  readonly limits?: ExecLimits;
}

/** A start as the API takes it. */
export function execStart(spec: ExecSpec): MessageInitShape<typeof ExecStartSchema> {
  const { limits } = spec;
  return {
    sessionId: spec.sessionId ?? "",
    command: commandInit(spec.command),
    cwd: spec.cwd ?? "",
    env: { ...spec.env },
    stdin: spec.stdin ?? false,
    ...(spec.pty === undefined ? {} : { pty: { ...spec.pty } }),
    timeoutMs: spec.timeoutMs ?? 0,
    idleTimeoutMs: spec.idleTimeoutMs ?? 0,
    maxOutputBytes: BigInt(spec.maxOutputBytes ?? 0),
    endAtMaxOutput: spec.endAtMaxOutput ?? false,
    onDisconnect: spec.onDisconnect === "keep" ? DisconnectPolicy.KEEP : DisconnectPolicy.UNSPECIFIED,
    ...(spec.graceMs === undefined ? {} : { graceMs: spec.graceMs }),
    ...(limits === undefined
      ? {}
      : {
          limits: {
            memoryBytes: BigInt(limits.memoryBytes ?? 0),
            cpuMs: limits.cpuMs ?? 0,
            pids: limits.pids ?? 0,
            openFiles: limits.openFiles ?? 0,
            fileBytes: BigInt(limits.fileBytes ?? 0),
          },
        }),
  };
}
