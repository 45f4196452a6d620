import { Problem } from "../model/problem.ts";

/** Primary result codes of SQLite that a user can do something about (sqlite.org/rescode.html). */
const busy = 5;
const readOnly = 8;
const inputOutput = 10;
const corrupt = 11;
const full = 13;
const notADatabase = 26;

/** EDQUOT of errno(3), below zero as Node gives it: libuv has no name for it. */
const usedUpQuota = -122;

/** Says what went wrong with a store so that its owner knows what to do. The cause stays in the log. */
export function storeProblem(error: unknown, doing: string, folder: string): Problem {
  if (error instanceof Problem) return error;
  switch (resultCode(error)) {
    case busy:
      return new Problem("failed_precondition", `another Sallyport uses ${folder}`, { cause: error });
    case full:
      return new Problem("resource_exhausted", `${doing}: the disk is full`, { cause: error });
    case inputOutput:
      // SQLite knows a full disk only, and no quota.
      return new Problem("resource_exhausted", `${doing}: the disk quota is used up, or the disk failed`, {
        cause: error,
      });
    case readOnly:
      return new Problem("failed_precondition", `${doing}: the file system is read-only`, { cause: error });
    case corrupt:
    case notADatabase:
      return new Problem("data_loss", `${doing}: the file is damaged`, { cause: error });
    default:
      return fromSystem(error, doing);
  }
}

function fromSystem(error: unknown, doing: string): Problem {
  if (error instanceof Error && "code" in error && error.code === "ENOSPC")
    return new Problem("resource_exhausted", `${doing}: the disk is full`, { cause: error });
  if (error instanceof Error && "errno" in error && error.errno === usedUpQuota)
    return new Problem("resource_exhausted", `${doing}: the disk quota is used up`, { cause: error });
  const reason = error instanceof Error ? error.message : String(error);
  return new Problem("failed_precondition", `${doing}: ${reason}`, { cause: error });
}

/** The primary result code, which is the low byte of the extended one. */
function resultCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined;
}
