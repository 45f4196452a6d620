import { Problem } from "../model/problem.ts";

/** Primary result codes of SQLite that a user can do something about (sqlite.org/rescode.html). */
const busy = 5;
const readOnly = 8;
const corrupt = 11;
const full = 13;
const notADatabase = 26;

/** Says what went wrong with a store so that its owner knows what to do. The cause stays in the log. */
export function storeProblem(error: unknown, doing: string, folder: string): Problem {
  if (error instanceof Problem) return error;
  switch (resultCode(error)) {
    case busy:
      return new Problem("failed_precondition", `another Sallyport uses ${folder}`, { cause: error });
    case full:
      return new Problem("resource_exhausted", `${doing}: the disk is full`, { cause: error });
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
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new Problem("resource_exhausted", `${doing}: the disk is full`, { cause: error });
  const reason = error instanceof Error ? error.message : String(error);
  return new Problem("failed_precondition", `${doing}: ${reason}`, { cause: error });
}

/** The primary result code, which is the low byte of the extended one. */
function resultCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined;
}
