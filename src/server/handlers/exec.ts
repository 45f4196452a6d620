import type { MessageInitShape } from "@bufbuild/protobuf";
import { ExecService, type RunResponseSchema } from "../../gen/sallyport/v1/exec_pb.ts";
import { exhausted } from "../../model/exhausted.ts";
import { invalid, Problem } from "../../model/problem.ts";
import { decodeExecStart, decodeRunToEnd } from "../decode/exec-start.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { bidi, type Route, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import { replyExit } from "../reply/reply-exit.ts";
import { replyInstead } from "../reply/reply-instead.ts";
import { sessionOf } from "../session-of.ts";
import { feedCommand } from "./feed-command.ts";
import { keepCommand } from "./keep-command.ts";
import { type CommandEvent, type ExecRoom, runCommand, type StartedEvent } from "./run-command.ts";

const { run, runToEnd } = ExecService.method;

/** Output bytes of one `RunToEnd`: with the rest of the answer it stays below the 4 MiB that clients take by default. */
const maxOutput = 4 * 1024 * 1024 - 64 * 1024;

/** Commands. */
export function execRoutes(room: ExecRoom): readonly Route[] {
  return [bidi(provenDoor, run, runOf(room)), unary(provenDoor, runToEnd, runToEndOf(room))];
}

function runOf(room: ExecRoom): HandlerOf<typeof run> {
  return async function* (requests, { caller, signal }) {
    const steps = requests[Symbol.asyncIterator]();
    const first = await steps.next();
    if (first.done === true || first.value.step.case !== "start") throw invalid("start", "must be the first message");
    const start = first.value.step.value;
    const session = await sessionOf(room.sessions, caller, "start.session_id", start.sessionId);
    const intent = decodeExecStart("start", start, session);
    const act = intent.background || intent.keep === true ? keepCommand : runCommand;
    for await (const event of act(room, session, intent, signal, (process) => feedCommand(steps, process, intent)))
      yield replyEvent(event);
  };
}

function runToEndOf(room: ExecRoom): HandlerOf<typeof runToEnd> {
  return async ({ start }, { caller, signal }) => {
    if (start === undefined) throw invalid("start", "must be set");
    const session = await sessionOf(room.sessions, caller, "start.session_id", start.sessionId);
    const intent = decodeRunToEnd("start", start, session, maxOutput);
    const output: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
    let left = intent.limits.outputBytes;
    let started: StartedEvent | undefined;
    for await (const event of runCommand(room, session, intent, signal)) {
      switch (event.kind) {
        case "started":
          started = event;
          break;
        case "stdout":
        case "stderr":
          // The sandbox caps the output; a sandbox that does not must not fill this process.
          output[event.kind].push(event.data.subarray(0, left));
          left = Math.max(0, left - event.data.length);
          break;
        case "exit":
          return {
            stdout: Buffer.concat(output.stdout),
            stderr: Buffer.concat(output.stderr),
            exit: replyExit(event),
            entryId: started?.entry ?? "",
            ...replyInstead(started?.instead),
          };
        default:
          exhausted(event);
      }
    }
    throw new Problem("unavailable", "the command ended without an exit");
  };
}

function replyEvent(event: CommandEvent): MessageInitShape<typeof RunResponseSchema> {
  switch (event.kind) {
    case "started":
      return {
        event: { case: "started", value: { pid: event.pid, entryId: event.entry, ...replyInstead(event.instead) } },
      };
    case "stdout":
      return { event: { case: "stdout", value: event.data } };
    case "stderr":
      return { event: { case: "stderr", value: event.data } };
    case "exit":
      return { event: { case: "exit", value: replyExit(event) } };
    default:
      return exhausted(event);
  }
}
