import { ExecService } from "../../gen/sallyport/v1/exec_pb.ts";
import type { BackgroundProcess } from "../../model/background.ts";
import { invalid, Problem } from "../../model/problem.ts";
import type { Caller } from "../../model/subject.ts";
import { decodeSignal, decodeWindowSize } from "../decode/command.ts";
import { decodePart } from "../decode/file-requests.ts";
import { decodeEntryId } from "../decode/ids.ts";
import { decodeCount } from "../decode/numbers.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { type Route, serverStream, unary } from "../glue/route.ts";
import { watched } from "../glue/watched.ts";
import { provenDoor } from "../glue/wiring.ts";
import { replyBackground, replyBackgroundEvent, replyFollowed } from "../reply/reply-background.ts";
import { sessionOf } from "../session-of.ts";
import { backgroundHint, followedHint } from "./followed-hint.ts";
import type { ExecRoom } from "./run-command.ts";

const { list, attach, watch, sendInput, signal: sendSignal, resize, stop } = ExecService.method;

/** Names a process in a session. */
interface Named {
  readonly sessionId: string;
  readonly processId: string;
}

/** Commands that run without their caller, and what another call does to any command that runs. */
export function backgroundRoutes(room: ExecRoom): readonly Route[] {
  return [
    unary(provenDoor, list, async ({ sessionId }, { caller }) => {
      const { subject } = await sessionOf(room.sessions, caller, "session_id", sessionId);
      const processes = room.background.list(subject.session);
      return {
        processes: await Promise.all(
          processes.map(async (process) => replyBackground(process, await backgroundHint(process))),
        ),
      };
    }),
    serverStream(provenDoor, attach, attachOf(room)),
    serverStream(provenDoor, watch, watchOf(room)),
    unary(provenDoor, sendInput, async (request, { caller, signal }) => {
      const process = await backgroundOf(room, caller, request);
      await unlessLeft(process.write(decodePart("data", request.data), request.close), signal);
      return {};
    }),
    unary(provenDoor, sendSignal, async (request, { caller }) => {
      const number = decodeSignal("signal", request.signal);
      (await runningOf(room, caller, request)).signal(number);
      return {};
    }),
    unary(provenDoor, resize, async (request, { caller }) => {
      if (request.size === undefined) throw invalid("size", "must be set");
      const size = decodeWindowSize("size", request.size);
      (await runningOf(room, caller, request)).resize(size);
      return {};
    }),
    unary(provenDoor, stop, async (request, { caller, signal }) => {
      await unlessLeft((await runningOf(room, caller, request)).end(), signal);
      return {};
    }),
  ];
}

function attachOf(room: ExecRoom): HandlerOf<typeof attach> {
  return async function* (request, context) {
    const process = await saysOf(room, context.caller, request);
    const options = { offset: decodeCount("offset", request.offset), untilNow: request.untilNow };
    for await (const event of watched(context, (signal) => process.follow(options, signal))) {
      const hint = event.kind === "exit" ? await followedHint(process, event.exit, event.offset) : "";
      yield replyFollowed(event, hint);
    }
  };
}

function watchOf(room: ExecRoom): HandlerOf<typeof watch> {
  return async function* ({ sessionId }, context) {
    const { subject } = await sessionOf(room.sessions, context.caller, "session_id", sessionId);
    const events = watched(context, (signal) => room.background.watch(subject.session, signal));
    for await (const event of events) yield replyBackgroundEvent(event, await backgroundHint(event.process));
  };
}

/** What can be followed: a process that goes on by itself, or a command that a call waits for. @throws Problem `not_found` */
async function saysOf(room: ExecRoom, caller: Caller, named: Named): Promise<Pick<BackgroundProcess, "follow">> {
  const entry = decodeEntryId("process_id", named.processId);
  const { subject } = await sessionOf(room.sessions, caller, "session_id", named.sessionId);
  const found = room.background.find(subject.session, entry) ?? room.running.find(entry, subject.session)?.output;
  return found ?? notFound("is no background process of this session, and no command that runs in it");
}

/** @throws Problem `not_found` */
async function backgroundOf(room: ExecRoom, caller: Caller, named: Named): Promise<BackgroundProcess> {
  const entry = decodeEntryId("process_id", named.processId);
  const { subject } = await sessionOf(room.sessions, caller, "session_id", named.sessionId);
  return room.background.find(subject.session, entry) ?? notFound("is no background process of this session");
}

/** A command that runs, whether somebody reads it or not. @throws Problem `not_found` */
async function runningOf(room: ExecRoom, caller: Caller, named: Named): Promise<BackgroundProcess["control"]> {
  const entry = decodeEntryId("process_id", named.processId);
  const { subject } = await sessionOf(room.sessions, caller, "session_id", named.sessionId);
  const background = room.background.find(subject.session, entry);
  const running = background?.end === undefined ? background?.control : undefined;
  return (
    running ?? room.running.find(entry, subject.session)?.process ?? notFound("no such command runs in this session")
  );
}

function notFound(why: string): never {
  throw new Problem("not_found", `process_id: ${why}`, { field: "process_id" });
}

/** Waits no longer than the caller does. */
async function unlessLeft(done: Promise<void>, signal: AbortSignal): Promise<void> {
  const left = Promise.withResolvers<never>();
  const leave = (): void => left.reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    signal.throwIfAborted();
    await Promise.race([done, left.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
