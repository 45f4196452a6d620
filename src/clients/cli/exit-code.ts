import type { SallyportError } from "../client/sallyport-error.ts";
import { exhausted } from "../text/exhausted.ts";

/** The CLI's own exit codes. A command that ran passes its own through, 128 + N where signal N ended it. */
export const exitCode = {
  ok: 0,
  /** The request was carried out or answered, with a result that is a failure: no such file, the chain does not verify. `check`: a person would be asked. */
  failed: 1,
  usage: 2,
  /** `fetch --fail`: the server answered with a status of 400 or more. */
  httpError: 22,
  /** Sallyport could not be reached or failed itself. */
  server: 125,
  /** Refused by policy or a person. */
  refused: 126,
  /** `exec`: no such program in the sandbox. */
  notFound: 127,
  /** The reader of the output went away: 128 + SIGPIPE. */
  pipeClosed: 141,
} as const;

/** The exit code for a failed call. */
export function exitCodeOf(error: SallyportError): number {
  switch (error.code) {
    case "permission_denied":
      return exitCode.refused;
    case "invalid_argument":
      return exitCode.usage;
    case "not_found":
    case "already_exists":
    case "failed_precondition":
    case "out_of_range":
    case "aborted":
    case "resource_exhausted":
      return exitCode.failed;
    case "cancelled":
    case "unknown":
    case "deadline_exceeded":
    case "unimplemented":
    case "internal":
    case "unavailable":
    case "data_loss":
    case "unauthenticated":
      return exitCode.server;
    default:
      return exhausted(error.code);
  }
}
