import { Problem } from "../model/problem.ts";
import { failedStage } from "../wire/protocol.ts";

/** Numbers of errno(3) on Linux: those of the sandbox, whatever the sidecar runs on. */
const errno = {
  ENOENT: 2,
  ESRCH: 3,
  E2BIG: 7,
  ENOEXEC: 8,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  ENOTDIR: 20,
  ENFILE: 23,
  EMFILE: 24,
} as const;

const scarce: readonly number[] = [errno.EAGAIN, errno.ENOMEM, errno.ENFILE, errno.EMFILE];

/** Says in words why init could not start a command. */
export function startProblem(code: number, stage: number): Problem {
  if (stage === failedStage.limit)
    return new Problem("resource_exhausted", "too many commands run in this sandbox at once");
  if (scarce.includes(code))
    return new Problem(
      "resource_exhausted",
      `the sandbox has no room for another command (errno ${code}): processes or memory`,
    );
  if (stage === failedStage.fork && code === errno.ESRCH)
    return new Problem("aborted", "another command of the session killed this one before it started");
  if (stage === failedStage.chdir) return folderProblem(code);
  if (stage === failedStage.exec) return programProblem(code);
  return new Problem("internal", `the command could not be set up (stage ${stage}, errno ${code})`);
}

function folderProblem(code: number): Problem {
  const detail = { field: "cwd" };
  if (code === errno.ENOENT) return new Problem("not_found", "cwd: no such folder in the sandbox", detail);
  if (code === errno.ENOTDIR) return new Problem("failed_precondition", "cwd: not a folder", detail);
  return new Problem("failed_precondition", `cwd: the command's user cannot enter it (errno ${code})`, detail);
}

function programProblem(code: number): Problem {
  const detail = { field: "command" };
  switch (code) {
    case errno.ENOENT:
      return new Problem(
        "not_found",
        "command: no such program in the sandbox's image, or its interpreter is missing",
        detail,
      );
    case errno.E2BIG:
      return new Problem("invalid_argument", "command: too long for the kernel (131071 bytes in one argument)", detail);
    case errno.EACCES:
      return new Problem("failed_precondition", "command: the file is not executable for the command's user", detail);
    case errno.ENOEXEC:
      return new Problem("failed_precondition", "command: neither a program nor a script with a #! line", detail);
    default:
      return new Problem("failed_precondition", `command: cannot be executed (errno ${code})`, detail);
  }
}
