import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { Metadata, ServiceError } from "@grpc/grpc-js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import { DenialSchema, FieldViolationSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { SallyportError, type ErrorCode, type ErrorDetail } from "./sallyport-error.ts";

// In the order of google.rpc.Code; index 0 is OK, which is no error.
const codes: readonly ErrorCode[] = [
  "unknown",
  "cancelled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated",
];

/** Turns what grpc-js threw into a SallyportError, with the details of the trailer `grpc-status-details-bin` where there are any. */
export function decodeError(thrown: unknown): SallyportError {
  if (thrown instanceof SallyportError) return thrown;
  if (!isServiceError(thrown)) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new SallyportError("internal", message, { cause: thrown });
  }
  // grpc-js names what the resolver said even where it said nothing.
  const message = thrown.details.replace(/ Resolution note: $/, "");
  return new SallyportError(codes[thrown.code] ?? "unknown", message, {
    ...decodeDetails(thrown.metadata),
    cause: thrown,
  });
}

function isServiceError(thrown: unknown): thrown is ServiceError {
  return (
    thrown instanceof Error &&
    "code" in thrown &&
    typeof thrown.code === "number" &&
    "details" in thrown &&
    typeof thrown.details === "string" &&
    "metadata" in thrown
  );
}

function decodeDetails(metadata: Metadata): ErrorDetail {
  const bytes = metadata.get("grpc-status-details-bin").at(0);
  if (!(bytes instanceof Uint8Array)) return {};
  try {
    let detail: ErrorDetail = {};
    for (const any of fromBinary(StatusSchema, bytes).details) {
      const denial = anyUnpack(any, DenialSchema);
      const violation = anyUnpack(any, FieldViolationSchema);
      if (denial !== undefined) detail = { ...detail, denial };
      if (violation !== undefined) detail = { ...detail, field: violation.field };
    }
    return detail;
  } catch {
    // Malformed details tell nothing; code and message stand.
    return {};
  }
}
