import { DisconnectPolicy, type ExecStart } from "../../gen/sallyport/v1/exec_pb.ts";
import type { ExecIntent, ExecLimits } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import type { Session } from "../../model/session.ts";
import { decodeCommandLimits } from "./command-limits.ts";
import { decodeCommand, decodeWindowSize } from "./command.ts";
import { decodeCount, decodeWithin } from "./numbers.ts";
import { decodePathOr } from "./path.ts";
import { decodeText, maxTextBytes } from "./text.ts";

const maxVariables = 256;
const maxValueBytes = 32 * 1024;
const maxTimeoutMs = 86_400_000;
const maxGraceMs = 60_000;
const variableName = /^[A-Za-z0-9_]+$/;

/** What of a session a command's start is decoded with. */
type Home = Pick<Session, "workspace" | "limits">;

/** What `Run` is to run. An empty working directory is the workspace. @throws Problem `invalid_argument`. */
export function decodeExecStart(field: string, start: ExecStart, { workspace, limits }: Home): ExecIntent {
  const keep = decodeKeep(`${field}.on_disconnect`, start.onDisconnect);
  return {
    kind: "exec",
    command: decodeCommand(`${field}.command`, start.command),
    cwd: decodePathOr(`${field}.cwd`, start.cwd, workspace),
    env: decodeEnvironment(`${field}.env`, start.env),
    stdin: start.stdin,
    background: start.background,
    ...(keep ? { keep } : {}),
    ...(start.pty === undefined ? {} : { pty: decodeWindowSize(`${field}.pty`, start.pty) }),
    limits: {
      ...decodeBounds(field, start),
      ...decodeCommandLimits(`${field}.limits`, start.limits, limits),
    },
  };
}

function decodeKeep(field: string, policy: DisconnectPolicy): boolean {
  switch (policy) {
    case DisconnectPolicy.UNSPECIFIED:
    case DisconnectPolicy.KILL:
      return false;
    case DisconnectPolicy.KEEP:
      return true;
    default:
      // proto3 enums are open: any number arrives.
      throw invalid(field, `${String(policy)} is no known value`);
  }
}

function decodeBounds(field: string, start: ExecStart): ExecLimits {
  const idleMs = decodeWithin(`${field}.idle_timeout_ms`, start.idleTimeoutMs, 0, maxTimeoutMs);
  const graceMs = decodeWithin(`${field}.grace_ms`, start.graceMs ?? 0, 0, maxGraceMs);
  const outputBytes = decodeCount(`${field}.max_output_bytes`, start.maxOutputBytes);
  return {
    timeoutMs: decodeWithin(`${field}.timeout_ms`, start.timeoutMs, 0, maxTimeoutMs),
    outputBytes,
    ...(start.endAtMaxOutput ? { endAtOutput: true } : {}),
    ...(idleMs === 0 ? {} : { idleMs }),
    ...(start.graceMs === undefined ? {} : { graceMs }),
  };
}

/** What `RunToEnd` is to run: no input, no terminal, and an output that fits into one answer of `maxOutput` bytes. */
export function decodeRunToEnd(field: string, start: ExecStart, home: Home, maxOutput: number): ExecIntent {
  if (start.stdin) throw invalid(`${field}.stdin`, "must be unset: use Run");
  if (start.pty !== undefined) throw invalid(`${field}.pty`, "must be unset: use Run");
  if (start.background) throw invalid(`${field}.background`, "must be unset: use Run");
  const intent = decodeExecStart(field, start, home);
  if (intent.keep === true) throw invalid(`${field}.on_disconnect`, "must be unset: use Run");
  const wanted = intent.limits.outputBytes;
  return {
    ...intent,
    limits: { ...intent.limits, outputBytes: wanted === 0 ? maxOutput : Math.min(wanted, maxOutput) },
  };
}

function decodeEnvironment(field: string, env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(env);
  if (entries.length > maxVariables) throw invalid(field, `more than ${maxVariables} variables`);
  for (const [name, value] of entries) {
    if (!variableName.test(name) || name.length > maxTextBytes)
      throw invalid(field, `${JSON.stringify(name.slice(0, 64))} is no name of letters, digits and \`_\``);
    decodeText(`${field}[${name}]`, value, maxValueBytes);
  }
  return Object.fromEntries(entries);
}
