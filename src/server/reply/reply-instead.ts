import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CommandSchema } from "../../gen/sallyport/v1/exec_pb.ts";
import type { Command } from "../../model/intent.ts";

/** What runs in place of what was asked for; no field where nothing does. */
export function replyInstead(command: Command | undefined): {
  readonly instead?: MessageInitShape<typeof CommandSchema>;
} {
  if (command === undefined) return {};
  return command.kind === "argv"
    ? { instead: { form: { case: "argv", value: { words: [...command.argv] } } } }
    : { instead: { form: { case: "shell", value: command.text } } };
}
