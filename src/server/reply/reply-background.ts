import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  AttachResponseSchema,
  BackgroundProcessSchema,
  ExecServiceWatchResponseSchema,
} from "../../gen/sallyport/v1/exec_pb.ts";
import type { BackgroundEvent, BackgroundProcess, FollowEvent } from "../../model/background.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { Command } from "../../model/intent.ts";
import { replyExit, whole } from "./reply-exit.ts";
import { shorten } from "./shorten.ts";

/** UTF-16 units of a command's text in a list: all of them fit into one answer then. */
const maxCommandUnits = 4096;

/** A background process, as a message; `hint` says why it failed, where that is known. */
export function replyBackground(
  process: BackgroundProcess,
  hint: string,
): MessageInitShape<typeof BackgroundProcessSchema> {
  const { end, output } = process;
  return {
    processId: process.id,
    command: shorten(textOf(process.command), maxCommandUnits),
    startedAt: process.startedAt.toISOString(),
    ...(end?.kind === "exit" ? { exit: replyExit({ ...end, hint }) } : {}),
    failure: end?.kind === "lost" ? end.reason : "",
    pid: process.pid,
    outputBytes: whole(output.to),
    outputFrom: whole(output.from),
    superseded: process.superseded,
    pty: process.pty,
  };
}

/** A change in the set of background processes, as a message. */
export function replyBackgroundEvent(
  { kind, process }: BackgroundEvent,
  hint: string,
): MessageInitShape<typeof ExecServiceWatchResponseSchema> {
  return { event: { case: kind, value: replyBackground(process, hint) } };
}

/** What a follower sees, as a message; `hint` says why the command failed, where that is known. */
export function replyFollowed(event: FollowEvent, hint: string): MessageInitShape<typeof AttachResponseSchema> {
  const offset = whole(event.offset);
  switch (event.kind) {
    case "stdout":
    case "stderr":
      return { offset, event: { case: event.kind, value: event.data } };
    case "lost":
      return { offset, event: { case: "lost", value: { bytes: whole(event.bytes) } } };
    case "exit":
      return { offset, event: { case: "exit", value: replyExit({ ...event.exit, hint }) } };
    default:
      return exhausted(event);
  }
}

/** Words that hold more than harmless characters are quoted as for a shell. */
function textOf(command: Command): string {
  if (command.kind === "shell") return command.text;
  return command.argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}
