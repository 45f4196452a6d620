import type { Problem } from "../model/problem.ts";
import type { WindowSize } from "../model/intent.ts";
import type { Process, ProcessEvent, ProcessExit } from "../model/runtime.ts";
import { leastGathered } from "./output-slot.ts";
import { encodeDiscard, encodeResize, encodeSignal } from "../wire/encode-frame.ts";
import type { ExitFrame, Frame } from "../wire/frame.ts";
import { WireError } from "../wire/wire-error.ts";
import { Ending, type EndingBounds } from "./ending.ts";
import { EventQueue } from "./event-queue.ts";
import { IdleTimer } from "./idle-timer.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { SendWindow } from "./send-window.ts";
import { startProblem } from "./start-problem.ts";

/** What a channel needs of its link. */
export interface ChannelHost {
  send(bytes: Uint8Array): void;
  /** The channel is over: its number may be used again. */
  release(channel: number): void;
  /** The other end is not to be trusted any more: everything on the link ends. */
  end(reason: string): void;
}

/** Bounds of one command; undefined: none. */
export interface ProcessBounds extends EndingBounds {
  readonly timeoutMs: number | undefined;
  /** Without output, and without input that was taken. */
  readonly idleMs: number | undefined;
  readonly outputBytes: number | undefined;
  /** Whether the command is ended where it would write more, or the rest is dropped. */
  readonly pastOutput: "end" | "drop";
  /** How long init may take to say that it started. */
  readonly startDeadlineMs: number;
}

/** Longest time that a timer can wait; longer ones would fire at once. 24 days. */
const maxTimerMs = 2 ** 31 - 1;

/** Cells that fit into a frame, and into the kernel's struct winsize. */
const maxCells = 0xffff;

/** The sidecar's end of one command. */
export class ProcessChannel implements Process {
  readonly channel: number;
  readonly #host: ChannelHost;
  readonly #bounds: ProcessBounds;
  readonly #queue: EventQueue;
  readonly #input: SendWindow;
  readonly #output: ReceiveWindow;
  readonly #start = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();
  #state: "starting" | "running" | "over" = "starting";
  #timer: NodeJS.Timeout | undefined;
  readonly #ending: Ending;
  #idle: IdleTimer | undefined;
  #outputLeft: number;
  #discards = false;
  #truncated = false;
  #limit: "timeout" | "idle" | "output" | undefined;

  constructor(channel: number, window: number, host: ChannelHost, bounds: ProcessBounds) {
    this.channel = channel;
    this.#host = host;
    this.#bounds = bounds;
    const send = (bytes: Uint8Array): void => host.send(bytes);
    this.#input = new SendWindow(channel, send);
    this.#output = new ReceiveWindow(channel, window, send);
    this.#ending = new Ending(channel, host, bounds);
    this.#outputLeft = bounds.outputBytes ?? Number.POSITIVE_INFINITY;
    this.#queue = new EventQueue(
      (bytes) => this.#grant(bytes),
      () => this.abandon(),
      // Pieces end with frames and reads of the stream, which never meet: large ones are gathered, too, as far as the window is wide.
      Math.max(leastGathered, window / 2),
    );
    this.#timer = setTimeout(() => host.end("init did not start a command in time"), bounds.startDeadlineMs);
  }

  /** Resolves when the command runs. @throws Problem where it could not be started. */
  get started(): Promise<void> {
    return this.#start.promise;
  }

  /** Resolves when nothing of the command is left. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  get events(): AsyncIterable<ProcessEvent> {
    return this.#queue;
  }

  writeStdin(data: Uint8Array): Promise<boolean> {
    this.#idle?.touch();
    return this.#input.write(data);
  }

  closeStdin(): void {
    this.#input.end();
  }

  resize(size: WindowSize): void {
    if (this.#state === "over") return;
    this.#host.send(encodeResize(this.channel, Math.min(size.columns, maxCells), Math.min(size.rows, maxCells)));
  }

  signal(number: number): void {
    if (this.#state !== "over") this.#host.send(encodeSignal(this.channel, number));
  }

  end(): Promise<void> {
    this.#ending.ask();
    return this.ended;
  }

  kill(): Promise<void> {
    this.#ending.kill();
    return this.ended;
  }

  /** Nobody will read it any more: drops what it writes and ends it. */
  abandon(): void {
    this.#outputLeft = 0;
    this.#discard();
    this.#ending.ask();
  }

  /** Takes a frame of this channel. @throws WireError where it makes no sense now. */
  accept(frame: Frame): void {
    if (this.#state === "starting") this.#acceptStarting(frame);
    else this.#acceptRunning(frame);
  }

  /** The link is gone. */
  lost(problem: Problem): void {
    if (this.#state === "over") return;
    this.#finish();
    this.#start.reject(problem);
    this.#queue.close(problem);
  }

  #acceptStarting(frame: Frame): void {
    if (frame.kind === "started") {
      this.#run(frame.pid);
    } else if (frame.kind === "failed") {
      this.#host.release(this.channel);
      this.lost(startProblem(frame.errno, frame.stage));
    } else if (frame.kind === "credit") {
      this.#input.grant(frame.bytes);
    } else {
      throw new WireError(`${frame.kind} on a command that has not started`);
    }
  }

  #acceptRunning(frame: Frame): void {
    if (frame.kind === "stdout" || frame.kind === "stderr") this.#receive(frame.kind, frame.data);
    else if (frame.kind === "credit") this.#taken(frame.bytes);
    else if (frame.kind === "exit") this.#exit(frame);
    else throw new WireError(`${frame.kind} on a command that runs`);
  }

  #run(pid: number): void {
    this.#state = "running";
    clearTimeout(this.#timer);
    const { timeoutMs, idleMs } = this.#bounds;
    this.#timer =
      timeoutMs === undefined ? undefined : setTimeout(() => this.#endBy("timeout"), Math.min(timeoutMs, maxTimerMs));
    if (idleMs !== undefined)
      this.#idle = new IdleTimer(
        Math.min(idleMs, maxTimerMs),
        () => this.#output.exhausted,
        () => this.#endBy("idle"),
      );
    this.#queue.push({ kind: "started", pid });
    this.#start.resolve();
  }

  #receive(kind: "stdout" | "stderr", data: Uint8Array): void {
    this.#output.received(data.length);
    this.#idle?.touch();
    const kept = Math.min(data.length, this.#outputLeft);
    this.#outputLeft -= kept;
    if (kept > 0) this.#queue.push({ kind, data: kept === data.length ? data : data.subarray(0, kept) });
    if (kept === data.length) return;
    // What nobody will read is drained, so that the command neither blocks nor dies of a closed pipe.
    this.#truncated = true;
    this.#output.consumed(data.length - kept);
    this.#discard();
    if (this.#bounds.pastOutput === "end") this.#endBy("output");
  }

  #taken(bytes: number): void {
    this.#idle?.touch();
    this.#input.grant(bytes);
  }

  #exit(frame: ExitFrame): void {
    const exit: ProcessExit = {
      kind: "exit",
      code: frame.code,
      signal: frame.signal,
      durationMs: frame.wallMicros / 1000,
      usage: { userMicros: frame.userMicros, systemMicros: frame.systemMicros, maxRssBytes: frame.maxRssBytes },
      truncated: this.#truncated,
    };
    const limit = this.#limit ?? frame.limit;
    this.#finish();
    this.#host.release(this.channel);
    this.#queue.push(limit === undefined ? exit : { ...exit, limit });
    this.#queue.close();
  }

  #finish(): void {
    this.#state = "over";
    clearTimeout(this.#timer);
    this.#idle?.stop();
    this.#ending.over();
    this.#input.close();
    this.#end.resolve();
  }

  #endBy(limit: "timeout" | "idle" | "output"): void {
    this.#limit ??= limit;
    this.#ending.ask();
  }

  /** Init need not even send it. */
  #discard(): void {
    if (this.#discards || this.#state === "over") return;
    this.#discards = true;
    this.#host.send(encodeDiscard(this.channel));
  }

  #grant(bytes: number): void {
    if (this.#state === "running") this.#output.consumed(bytes);
  }
}
