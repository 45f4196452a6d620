import type { Denial } from "./decision.ts";

/** The kinds of failure that callers can tell apart; the names are those of gRPC status codes. */
export type ProblemCode =
  | "invalid_argument"
  | "not_found"
  | "already_exists"
  | "permission_denied"
  | "unauthenticated"
  | "resource_exhausted"
  | "failed_precondition"
  | "aborted"
  | "out_of_range"
  | "unimplemented"
  | "unavailable"
  | "deadline_exceeded"
  | "cancelled"
  | "data_loss"
  | "internal";

/** Where a problem lies and what it was about; all optional, all safe to show to the caller. */
export interface ProblemDetail {
  /** Path of the offending request field, for example `start.cwd`. */
  readonly field?: string;
  readonly denial?: Denial;
  readonly cause?: unknown;
}

/** The one typed error. Its message and denial go to the caller; its cause stays in the log. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly field: string | undefined;
  readonly denial: Denial | undefined;

  constructor(code: ProblemCode, message: string, detail: ProblemDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "Problem";
    this.code = code;
    this.field = detail.field;
    this.denial = detail.denial;
  }
}

/** Bad input: names the field and the reason. */
export function invalid(field: string, reason: string): Problem {
  return new Problem("invalid_argument", `${field}: ${reason}`, { field });
}
