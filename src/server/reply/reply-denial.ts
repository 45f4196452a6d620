import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DenialSchema } from "../../gen/sallyport/v1/common_pb.ts";
import type { Denial } from "../../model/decision.ts";
import { shorten } from "./shorten.ts";

/** The refusal as a message, each text cut at `max` UTF-16 units. */
export function replyDenial(denial: Denial, max: number): MessageInitShape<typeof DenialSchema> {
  return {
    effect: shorten(denial.effect, max),
    ruleId: shorten(denial.ruleId, max),
    source: shorten(denial.source, max),
    because: shorten(denial.because, max),
    missing: shorten(denial.missing, max),
    next: shorten(denial.next, max),
    entryId: denial.entry ?? "",
  };
}
