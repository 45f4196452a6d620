import type { ExecStart } from "../../gen/sallyport/v1/exec_pb.ts";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { ExecIntent } from "../../model/intent.ts";
import { invalid, Problem } from "../../model/problem.ts";
import { decodeCommand, decodeWindowSize } from "./command.ts";
import { decodeCount, decodeWithin } from "./numbers.ts";
import { decodePathOr } from "./path.ts";
import { decodeText, maxTextBytes } from "./text.ts";

const maxVariables = 256;
const maxValueBytes = 32 * 1024;
const maxTimeoutMs = 86_400_000;
const variableName = /^[A-Za-z0-9_]+$/;

/** What `Run` is to run. An empty working directory is the workspace. @throws Problem `invalid_argument`. */
export function decodeExecStart(field: string, start: ExecStart, workspace: AbsolutePath): ExecIntent {
  if (start.background)
    throw new Problem("unimplemented", `${field}.background: background processes are not built yet`, {
      field: `${field}.background`,
    });
  return {
    kind: "exec",
    command: decodeCommand(`${field}.command`, start.command),
    cwd: decodePathOr(`${field}.cwd`, start.cwd, workspace),
    env: decodeEnvironment(`${field}.env`, start.env),
    stdin: start.stdin,
    background: false,
    ...(start.pty === undefined ? {} : { pty: decodeWindowSize(`${field}.pty`, start.pty) }),
    limits: {
      timeoutMs: decodeWithin(`${field}.timeout_ms`, start.timeoutMs, 0, maxTimeoutMs),
      outputBytes: decodeCount(`${field}.max_output_bytes`, start.maxOutputBytes),
    },
  };
}

/** What `RunToEnd` is to run: no input, no terminal, and an output that fits into one answer of `maxOutput` bytes. */
export function decodeRunToEnd(
  field: string,
  start: ExecStart,
  workspace: AbsolutePath,
  maxOutput: number,
): ExecIntent {
  if (start.stdin) throw invalid(`${field}.stdin`, "must be unset: use Run");
  if (start.pty !== undefined) throw invalid(`${field}.pty`, "must be unset: use Run");
  if (start.background) throw invalid(`${field}.background`, "must be unset: use Run");
  const intent = decodeExecStart(field, start, workspace);
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
