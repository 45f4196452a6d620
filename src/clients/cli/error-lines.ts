import { DenialSchema } from "../../gen/sallyport/v1/common_pb.ts";
import type { JsonValue } from "@bufbuild/protobuf";
import type { SallyportError } from "../client/sallyport-error.ts";
import type { Palette } from "../text/palette.ts";
import { fields } from "../text/table.ts";
import { visible } from "../text/visible.ts";
import { messageJson } from "./output.ts";

/** How grpc-js and `ready` word a connection that was never made; every other `unavailable` is the server's own word. */
const neverConnected = /^no connection|connect E[A-Z]+/i;

/** A failure for a person: one line, or for a refusal a block that says what was refused, by what, why, and what to do. */
export function errorLines(error: SallyportError, paint: Palette, server: string): string[] {
  const { denial } = error;
  if (denial !== undefined) {
    const rule = visible(denial.ruleId);
    return [
      `sallyport: ${paint.red("refused")}`,
      ...fields([
        ["effect", paint.bold(visible(denial.effect))],
        ["rule", rule],
        ["source", visible(denial.source)],
        ["because", visible(denial.because)],
        ["missing", visible(denial.missing)],
        ["next", visible(denial.next)],
        ["entry", visible(denial.entryId)],
      ]),
    ];
  }
  if (error.code === "unavailable" && neverConnected.test(error.message))
    return [
      `sallyport: cannot reach the server at ${visible(server)}: ${visible(error.message)}`,
      "  Is it running? Start it with `sallyport serve`, or name it with --socket or --address.",
    ];
  return [`sallyport: ${visible(error.message)} (${error.code})`];
}

/** A failure as the last JSON line: `{"error":{"code","message","field","denial"}}`. */
export function errorJson(error: SallyportError): JsonValue {
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(error.field === undefined ? {} : { field: error.field }),
      ...(error.denial === undefined ? {} : { denial: messageJson(DenialSchema, error.denial) }),
    },
  };
}
