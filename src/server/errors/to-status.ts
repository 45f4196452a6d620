import { randomBytes } from "node:crypto";
import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { Metadata, status } from "@grpc/grpc-js";
import type { Logger } from "pino";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import { DenialSchema, FieldViolationSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { Problem, type ProblemCode } from "../../model/problem.ts";
import { replyDenial } from "../reply/reply-denial.ts";
import { shorten } from "../reply/shorten.ts";

/** How a call ends that did not end well. */
export interface StatusReply {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata;
}

const codes: Readonly<Record<ProblemCode, number>> = {
  invalid_argument: status.INVALID_ARGUMENT,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  permission_denied: status.PERMISSION_DENIED,
  unauthenticated: status.UNAUTHENTICATED,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  failed_precondition: status.FAILED_PRECONDITION,
  aborted: status.ABORTED,
  out_of_range: status.OUT_OF_RANGE,
  unimplemented: status.UNIMPLEMENTED,
  unavailable: status.UNAVAILABLE,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  data_loss: status.DATA_LOSS,
  internal: status.INTERNAL,
};

/** Longest text of one field in a status: trailers are headers, and clients refuse large ones. */
const maxText = 1024;

/**
 * The status that a thrown value becomes. A Problem speaks for itself; anything else, and a Problem that is Sallyport's own fault, becomes
 * INTERNAL with a reference that finds its cause in the log and tells the caller nothing.
 */
export function toStatus(error: unknown, method: string, log: Logger): StatusReply {
  if (!(error instanceof Problem) || error.code === "internal") {
    const reference = randomBytes(6).toString("hex");
    log.error({ err: error, method, reference }, "a call failed for an internal reason");
    return { code: status.INTERNAL, details: `internal error, reference ${reference}` };
  }
  if (error.cause !== undefined) log.debug({ err: error, method }, "a call was refused");
  const code = codes[error.code];
  const details = shorten(error.message, maxText);
  const metadata = withDetails(code, details, error);
  return metadata === undefined ? { code, details } : { code, details, metadata };
}

function withDetails(code: number, message: string, problem: Problem): Metadata | undefined {
  const found = detailOf(problem);
  if (found === undefined) return undefined;
  const packed = create(StatusSchema, { code, message, details: [found] });
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(toBinary(StatusSchema, packed)));
  return metadata;
}

function detailOf(problem: Problem) {
  if (problem.denial !== undefined)
    return pack(DenialSchema, create(DenialSchema, replyDenial(problem.denial, maxText)));
  if (problem.field === undefined) return undefined;
  const reason = problem.message.startsWith(`${problem.field}: `)
    ? problem.message.slice(problem.field.length + 2)
    : problem.message;
  return pack(
    FieldViolationSchema,
    create(FieldViolationSchema, { field: shorten(problem.field, maxText), reason: shorten(reason, maxText) }),
  );
}

function pack<D extends DescMessage>(schema: D, message: MessageShape<D>) {
  return anyPack(schema, message);
}
