import type { BackgroundProcess } from "../../model/background.ts";
import type { ProcessExit } from "../../model/runtime.ts";
import { hintBytes, networkHint } from "./network-hint.ts";

/** Why a command that is followed failed, as far as the end of its output tells that is kept; empty where it does not. `length` is all that it said, in bytes. */
export async function followedHint(
  process: Pick<BackgroundProcess, "follow">,
  exit: ProcessExit,
  length: number,
): Promise<string> {
  const words = networkHint();
  if (exit.code === 0 || exit.code === undefined) return words.of(exit);
  const options = { offset: Math.max(0, length - hintBytes), untilNow: true };
  for await (const event of process.follow(options, new AbortController().signal))
    if ("data" in event) words.see(event.data);
  return words.of(exit);
}

/** The same of a background process; empty while it runs. */
export async function backgroundHint(process: BackgroundProcess): Promise<string> {
  return process.end?.kind === "exit" ? followedHint(process, process.end, process.output.to) : "";
}
