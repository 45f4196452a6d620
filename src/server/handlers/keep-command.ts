import type { BackgroundEnd, BackgroundProcess, OutputBytes } from "../../model/background.ts";
import type { ExecAction } from "../../model/action.ts";
import type { ExecIntent } from "../../model/intent.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Process } from "../../model/runtime.ts";
import type { Session } from "../../model/session.ts";
import { reasonOf } from "../carry.ts";
import type { Admission } from "../ports/acting.ts";
import type { CommandEvent, ExecRoom, Feed } from "./run-command.ts";
import { networkHint } from "./network-hint.ts";
import { countsOf, factsOf } from "./outcome-facts.ts";

/**
 * Has a command judged and runs it in the background: one `started`, then for a background command nothing more. For one that its caller keeps, its output
 * and one `exit` as long as the caller stays; it goes on where he leaves, where the signal aborts and where `feed` rejects.
 */
export async function* keepCommand(
  room: ExecRoom,
  session: Session,
  intent: ExecIntent,
  signal: AbortSignal,
  feed: Feed,
): AsyncGenerator<CommandEvent> {
  const { process, input, instead } = await start(room, session, intent, signal);
  try {
    yield {
      kind: "started",
      pid: process.pid,
      entry: process.id,
      ...(instead === undefined ? {} : { instead }),
    };
    if (intent.background) return;
    const leaving = new AbortController();
    feed(input).catch((error: unknown) => leaving.abort(error));
    const words = networkHint();
    for await (const event of process.followHeld(AbortSignal.any([signal, leaving.signal])))
      if (event.kind === "exit") yield { ...event.exit, hint: words.of(event.exit) };
      else if (event.kind !== "lost") {
        words.see(event.data);
        yield { kind: event.kind, data: event.data };
      }
    leaving.signal.throwIfAborted();
  } finally {
    process.letGo();
  }
}

async function start(room: ExecRoom, session: Session, intent: ExecIntent, signal: AbortSignal) {
  // First: nobody is asked about a command that could not be started anyway.
  const slot = room.background.reserve(session.subject.session);
  try {
    const admission = await room.gate.admit(session.subject, intent, signal);
    try {
      const { instead } = admission;
      return { ...(await spawn(room, session, intent, signal, admission, slot)), instead };
    } catch (error) {
      admission.end({ kind: "failed", reason: reasonOf(signal.aborted ? signal.reason : error), facts: {} });
      throw error;
    }
  } finally {
    slot.release();
  }
}

async function spawn(
  room: ExecRoom,
  session: Session,
  intent: ExecIntent,
  signal: AbortSignal,
  admission: Admission<ExecAction>,
  slot: ReturnType<ExecRoom["background"]["reserve"]>,
): Promise<{ readonly process: BackgroundProcess; readonly input: Process }> {
  const sandbox = await room.sandboxes.acquire(session, admission.action.scopes, signal);
  // A sandbox may take long to start.
  admission.confirm();
  // The caller's signal counts until the command runs, and not afterwards.
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(signal.reason);
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  try {
    const input = await sandbox.spawn(admission.permit, leaving.signal);
    const facts = {
      id: admission.entry,
      session: session.subject.session,
      command: admission.action.command,
      pty: intent.pty !== undefined,
      stdin: intent.stdin,
      held: !intent.background,
      superseded: () => room.sandboxes.superseded(sandbox),
    };
    const process = await slot.keep(input, facts, (end, bytes) => admission.end(outcomeOf(end, bytes)));
    return { process, input };
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

function outcomeOf(end: BackgroundEnd, bytes: OutputBytes): Outcome {
  if (end.kind === "exit") return { kind: "done", facts: factsOf(end, bytes) };
  return { kind: "failed", reason: `unavailable: ${end.reason}`, facts: countsOf(bytes) };
}
