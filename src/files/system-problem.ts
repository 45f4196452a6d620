import { constants } from "node:os";
import { Problem, type ProblemCode } from "../model/problem.ts";

/** What an errno means to a caller. */
const meanings: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  ENOENT: ["not_found", "no such file or folder"],
  EEXIST: ["already_exists", "it exists already"],
  EACCES: ["permission_denied", "the file system does not permit it"],
  EPERM: ["permission_denied", "the file system does not permit it"],
  ENOTDIR: ["failed_precondition", "a part of the path is no folder"],
  EISDIR: ["failed_precondition", "it is a folder"],
  ENOTEMPTY: ["failed_precondition", "the folder is not empty"],
  EROFS: ["failed_precondition", "the file system is read-only"],
  ETXTBSY: ["failed_precondition", "it is a program that is running"],
  EXDEV: ["failed_precondition", "it lies on another file system"],
  ENOSPC: ["resource_exhausted", "no space is left on the file system"],
  EDQUOT: ["resource_exhausted", "the disk quota is used up"],
  EFBIG: ["resource_exhausted", "the file would be too large for the file system"],
  EMFILE: ["resource_exhausted", "too many files are open"],
  ENFILE: ["resource_exhausted", "too many files are open"],
  ENOMEM: ["resource_exhausted", "no memory is left"],
  ENAMETOOLONG: ["invalid_argument", "a name in it is too long"],
  EILSEQ: ["invalid_argument", "the file system does not take this name"],
  ELOOP: ["failed_precondition", "too many symbolic links"],
  ESTALE: ["aborted", "it changed since it was judged"],
  EIO: ["unavailable", "the device failed"],
  EBADMSG: ["unavailable", "the device failed"],
};

/** The failure of a system call as a Problem that names the path and the reason. A Problem stays as it is. */
export function systemProblem(error: unknown, path: string): Problem {
  if (error instanceof Problem) return error;
  const code = errorCode(error);
  const [kind, text] = meanings[code] ?? ["internal", `failed (${code === "" ? "unknown error" : code})`];
  return new Problem(kind, `${path}: ${text}`, { field: "path", cause: error });
}

/** The errno name of a failed system call, such as `ENOENT`, also where a Problem tells of it; empty for anything else. */
export function errorCode(error: unknown): string {
  // A Problem has a code as well, which is no errno.
  if (error instanceof Problem) return errorCode(error.cause);
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return "";
  return "errno" in error && error.code.startsWith(unnamed) ? nameOf(error.errno) : error.code;
}

/** How libuv names what it has no name for, a used-up quota (EDQUOT) among them. */
const unnamed = "Unknown system error ";

/** `errno` as Node gives it: below zero. */
function nameOf(errno: unknown): string {
  const [name] = Object.entries(constants.errno).find(([, number]) => -number === errno) ?? [
    `${unnamed}${String(errno)}`,
  ];
  return name;
}

/** The path does not lead any more where it led when it was judged. */
export function changed(path: string): Problem {
  return new Problem("aborted", `${path}: changed since it was judged`, { field: "path" });
}
