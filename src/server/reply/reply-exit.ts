import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecExitSchema } from "../../gen/sallyport/v1/exec_pb.ts";
import type { ProcessExit } from "../../model/runtime.ts";

/** How a command ended, as a message. */
export function replyExit(exit: ProcessExit & { readonly hint?: string }): MessageInitShape<typeof ExecExitSchema> {
  const { usage } = exit;
  return {
    status: exit.code === undefined ? { case: "signal", value: exit.signal ?? 0 } : { case: "code", value: exit.code },
    durationMs: whole(exit.durationMs),
    usage: {
      userUs: whole(usage.userMicros),
      systemUs: whole(usage.systemMicros),
      maxRssBytes: whole(usage.maxRssBytes),
    },
    truncated: exit.truncated,
    limit: exit.limit ?? "",
    hint: exit.hint ?? "",
  };
}

/** A measure as an unsigned 64-bit number. */
export function whole(value: number): bigint {
  return Number.isFinite(value) && value > 0 ? BigInt(Math.round(value)) : 0n;
}
