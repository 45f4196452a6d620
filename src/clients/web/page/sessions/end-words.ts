import type { ExecExit } from "../../../../gen/sallyport/v1/exec_pb.ts";

/** How a command ended, in a word or two. */
export function endWords(exit: ExecExit | undefined, failure = ""): string {
  if (exit?.status.case === "code") return `exit ${exit.status.value}`;
  if (exit?.status.case === "signal") return `signal ${exit.status.value}`;
  return failure === "" ? "ended" : "lost";
}
