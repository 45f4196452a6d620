import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CommandSchema } from "../../gen/sallyport/v1/exec_pb.ts";

/** One command: shell text, or a vector of words that no shell sees. */
export type ExecCommand = { readonly shell: string } | { readonly argv: readonly string[] };

/** The command as the API takes it. */
export function commandInit(command: ExecCommand): MessageInitShape<typeof CommandSchema> {
  return {
    form:
      "shell" in command
        ? { case: "shell", value: command.shell }
        : { case: "argv", value: { words: [...command.argv] } },
  };
}
