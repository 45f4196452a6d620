import type { ExecAction } from "../../model/action.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { EntryId } from "../../model/ids.ts";
import type { Command, ExecIntent } from "../../model/intent.ts";
import { Problem } from "../../model/problem.ts";
import type { Process, ProcessExit } from "../../model/runtime.ts";
import type { Session } from "../../model/session.ts";
import { type Carriage, carryStream, reasonOf } from "../carry.ts";
import type { Ports } from "../ports.ts";
import { countsOf, factsOf } from "./outcome-facts.ts";
import { networkHint } from "./network-hint.ts";
import type { RunningCommands } from "./running-commands.ts";
import { createSeenOutput } from "./seen-output.ts";

/** What running a command needs. */
export interface ExecRoom extends Pick<Ports, "gate" | "sessions" | "sandboxes" | "background"> {
  readonly running: RunningCommands;
}

/** Brings a command its input, sizes and signals. */
export type Feed = (process: Pick<Process, "writeStdin" | "closeStdin" | "resize" | "signal">) => Promise<void>;

/** The command runs. */
export interface StartedEvent {
  readonly kind: "started";
  readonly pid: number;
  readonly entry: EntryId;
  /** What runs in place of what was asked for, because a person changed it. */
  readonly instead?: Command;
}

/** One event of a command, with the key of its audit entry at the start. */
export type CommandEvent =
  | StartedEvent
  | { readonly kind: "stdout" | "stderr"; readonly data: Uint8Array }
  | CommandExit;

/** How the command ended. */
export interface CommandExit extends ProcessExit {
  /** Why it failed, as far as its own words tell; empty where they do not. */
  readonly hint?: string;
}

/**
 * Has a command judged and runs it: one `started` first, one `exit` last. It is killed with all that it started where the signal aborts,
 * where `feed` (which brings its input) rejects, and where the reader leaves; then it counts as failed.
 */
export function runCommand(
  room: ExecRoom,
  session: Session,
  intent: ExecIntent,
  signal: AbortSignal,
  feed?: Feed,
): AsyncGenerator<CommandEvent> {
  return carryStream(room.gate, session.subject, intent, signal, (carriage) =>
    drive(room, session, carriage, signal, feed),
  );
}

async function* drive(
  room: ExecRoom,
  session: Session,
  carriage: Carriage<ExecAction>,
  signal: AbortSignal,
  feed: Feed | undefined,
): AsyncGenerator<CommandEvent> {
  const sandbox = await room.sandboxes.acquire(session, carriage.action.scopes, signal);
  // A sandbox may take long to start.
  carriage.confirm();
  const process = await sandbox.spawn(carriage.permit, signal);
  /** Why the command is being killed; nothing while it may run. */
  let fault: unknown;
  let exited = false;
  let over = false;
  const sent = { stdout: 0, stderr: 0 };
  const words = networkHint();
  const kill = (why: unknown): void => {
    // The input of a call ends with an error when the call is over.
    if (over) return;
    fault ??= why;
    // Where this fails the events end with an error of their own.
    process.end().catch(() => {});
  };
  const onAbort = (): void => kill(signal.reason);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  feed?.(process).catch(kill);
  const output = createSeenOutput();
  room.running.add(carriage.entry, session.subject.session, { process, output });
  try {
    for await (const event of process.events) {
      switch (event.kind) {
        case "started":
          yield {
            kind: "started",
            pid: event.pid,
            entry: carriage.entry,
            ...(carriage.instead === undefined ? {} : { instead: carriage.instead }),
          };
          break;
        case "stdout":
        case "stderr":
          sent[event.kind] += event.data.length;
          words.see(event.data);
          output.write(event.kind, event.data);
          yield event;
          break;
        case "exit":
          exited = true;
          over = true;
          output.end(event);
          if (fault === undefined) carriage.done(factsOf(event, sent));
          else {
            carriage.failed(reasonOf(fault), factsOf(event, sent));
            throw fault;
          }
          yield { ...event, hint: words.of(event) };
          return;
        default:
          exhausted(event);
      }
    }
    throw fault ?? new Problem("unavailable", "the sandbox ended before the command did");
  } catch (error) {
    // Not where the reader leaves: the record must tell the two apart.
    fault ??= error;
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    room.running.remove(carriage.entry);
    if (!exited) output.end(undefined);
    over = true;
    if (!exited) {
      await process.end();
      carriage.failed(reasonOf(fault ?? signal.reason ?? noReader), { killed: true, ...countsOf(sent) });
    }
  }
}

const noReader = new Problem("cancelled", "nobody read the output any more");
