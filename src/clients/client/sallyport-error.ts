import type { Denial } from "../../gen/sallyport/v1/common_pb.ts";

/** The kinds of failure, named after the gRPC status codes (google.rpc.Code). */
export type ErrorCode =
  | "cancelled"
  | "unknown"
  | "invalid_argument"
  | "deadline_exceeded"
  | "not_found"
  | "already_exists"
  | "permission_denied"
  | "resource_exhausted"
  | "failed_precondition"
  | "aborted"
  | "out_of_range"
  | "unimplemented"
  | "internal"
  | "unavailable"
  | "data_loss"
  | "unauthenticated";

/** What came with a failure besides its code and message. */
export interface ErrorDetail {
  /** Path of the request field that was wrong. */
  readonly field?: string;
  /** The structured refusal. */
  readonly denial?: Denial;
  readonly cause?: unknown;
}

/** A call that failed. `denial` is set where policy or a person refused, `field` where the request itself was wrong. */
export class SallyportError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly denial: Denial | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "SallyportError";
    this.code = code;
    this.field = detail.field;
    this.denial = detail.denial;
  }
}
