import type { EntryId, SessionId } from "./ids.ts";
import type { Command } from "./intent.ts";
import type { Process, ProcessExit } from "./runtime.ts";

/** How a background process ended. `lost`: its sandbox went away, so nobody knows. */
export type BackgroundEnd = ProcessExit | { readonly kind: "lost"; readonly reason: string };

/** What a follower of a background process sees. Offsets count the bytes of stdout and stderr together. */
export type FollowEvent =
  | { readonly kind: "stdout" | "stderr"; readonly offset: number; readonly data: Uint8Array }
  /** The bytes from `offset` on that are kept no longer. */
  | { readonly kind: "lost"; readonly offset: number; readonly bytes: number }
  | { readonly kind: "exit"; readonly offset: number; readonly exit: ProcessExit };

/** How a background process is followed. */
export interface FollowOptions {
  /** First byte that is wanted. */
  readonly offset: number;
  /** Ends after what is there now, without waiting. */
  readonly untilNow: boolean;
}

/** A process that does not end with the call that started it. */
export interface BackgroundProcess {
  /** The key of its audit entry. */
  readonly id: EntryId;
  readonly session: SessionId;
  readonly command: Command;
  readonly pty: boolean;
  readonly startedAt: Date;
  /** Number inside the sandbox. */
  readonly pid: number;
  /** Undefined while it runs. */
  readonly end: BackgroundEnd | undefined;
  /** Offsets of the first byte of its output that is kept, and past the last one. */
  readonly output: { readonly from: number; readonly to: number };
  /** True where a newer sandbox of its session has taken the place of the one that it runs in. */
  readonly superseded: boolean;
  /** Signals, sizes and the end of the process. Its input and its output go through the methods below. */
  readonly control: Pick<Process, "signal" | "resize" | "end">;
  /**
   * Resolves when the process took all of `data`, and closes its input then where `close` says so.
   * @throws Problem `failed_precondition` where it has no input, or none any more; `resource_exhausted` where too much waits already.
   */
  write(data: Uint8Array, close: boolean): Promise<void>;
  /** What it said from an offset on, as it comes. @throws Problem `out_of_range` for an offset past its end, `unavailable` where it was lost. */
  follow(options: FollowOptions, signal: AbortSignal): AsyncGenerator<FollowEvent>;
  /**
   * The same from the start for the caller who started it with `held`: a slow one slows the process, and so loses nothing. Once. `letGo` ends that,
   * whether it was ever read or not.
   */
  followHeld(signal: AbortSignal): AsyncGenerator<FollowEvent>;
  letGo(): void;
}

/** A change in the set of background processes. `present`: it was there before. */
export interface BackgroundEvent {
  readonly kind: "present" | "started" | "ended";
  readonly process: BackgroundProcess;
}

/** What is known of a background process when it starts. */
export interface BackgroundFacts extends Pick<BackgroundProcess, "id" | "session" | "command" | "pty"> {
  /** True where it has standard input. */
  readonly stdin: boolean;
  /** True where a caller will read it by `followHeld`. */
  readonly held: boolean;
  readonly superseded: () => boolean;
}

/** Room for one background process that is about to start. */
export interface BackgroundSlot {
  /**
   * Takes a process over and reads it from now on, whoever follows it. `onEnd` is called once, when it has ended and all of its output was read.
   * @throws Problem where it was lost already.
   */
  keep(
    process: Process,
    facts: BackgroundFacts,
    onEnd: (end: BackgroundEnd, bytes: OutputBytes) => void,
  ): Promise<BackgroundProcess>;
  /** Gives the room back where nothing was started. Harmless otherwise. */
  release(): void;
}

/** Output of a process in bytes. */
export interface OutputBytes {
  readonly stdout: number;
  readonly stderr: number;
}

/** The processes that do not end with the call that started them. */
export interface BackgroundTable {
  /** @throws Problem `resource_exhausted` where a session has too many. */
  reserve(session: SessionId): BackgroundSlot;
  /** Undefined where that session has none of this key. */
  find(session: SessionId, id: EntryId): BackgroundProcess | undefined;
  /** Those of a session, the newest first. */
  list(session: SessionId): readonly BackgroundProcess[];
  /** Those of a session first, then every change, until the signal aborts. @throws Problem `resource_exhausted` for a reader that falls far behind. */
  watch(session: SessionId, signal: AbortSignal): AsyncGenerator<BackgroundEvent>;
}
