import type { Problem } from "../model/problem.ts";
import type { WindowSize } from "../model/intent.ts";
import type { Process, ProcessEvent, ProcessExit } from "../model/runtime.ts";
import { encodeKill, encodeResize, encodeSignal } from "../wire/encode-frame.ts";
import type { ExitFrame, Frame } from "../wire/frame.ts";
import { exitFlag } from "../wire/protocol.ts";
import { WireError } from "../wire/wire-error.ts";
import { EventQueue } from "./event-queue.ts";
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
export interface ProcessBounds {
  readonly timeoutMs: number | undefined;
  readonly outputBytes: number | undefined;
  /** How long a killed command may take to be gone before the whole sandbox is given up. */
  readonly killDeadlineMs: number;
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
  #killTimer: NodeJS.Timeout | undefined;
  #outputLeft: number;
  #truncated = false;
  #limit: "timeout" | undefined;

  constructor(channel: number, window: number, host: ChannelHost, bounds: ProcessBounds) {
    this.channel = channel;
    this.#host = host;
    this.#bounds = bounds;
    const send = (bytes: Uint8Array): void => host.send(bytes);
    this.#input = new SendWindow(channel, send);
    this.#output = new ReceiveWindow(channel, window, send);
    this.#outputLeft = bounds.outputBytes ?? Number.POSITIVE_INFINITY;
    this.#queue = new EventQueue(
      (bytes) => this.#grant(bytes),
      () => this.#abandon(),
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

  writeStdin(data: Uint8Array): Promise<void> {
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

  kill(): Promise<void> {
    if (this.#state !== "over" && this.#killTimer === undefined) {
      this.#host.send(encodeKill(this.channel));
      const giveUp = (): void => this.#host.end("a command could not be killed");
      this.#killTimer = setTimeout(giveUp, this.#bounds.killDeadlineMs);
    }
    return this.ended;
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
    else if (frame.kind === "credit") this.#input.grant(frame.bytes);
    else if (frame.kind === "exit") this.#exit(frame);
    else throw new WireError(`${frame.kind} on a command that runs`);
  }

  #run(pid: number): void {
    this.#state = "running";
    clearTimeout(this.#timer);
    const { timeoutMs } = this.#bounds;
    this.#timer =
      timeoutMs === undefined ? undefined : setTimeout(() => this.#timeOut(), Math.min(timeoutMs, maxTimerMs));
    this.#queue.push({ kind: "started", pid });
    this.#start.resolve();
  }

  #receive(kind: "stdout" | "stderr", data: Uint8Array): void {
    this.#output.received(data.length);
    const kept = Math.min(data.length, this.#outputLeft);
    this.#outputLeft -= kept;
    if (kept > 0) this.#queue.push({ kind, data: kept === data.length ? data : data.subarray(0, kept) });
    if (kept === data.length) return;
    // What nobody will read is drained, so that the command neither blocks nor dies of a closed pipe.
    this.#truncated = true;
    this.#output.consumed(data.length - kept);
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
    const limit = this.#limit ?? ((frame.flags & exitFlag.memory) === 0 ? undefined : "memory");
    this.#finish();
    this.#host.release(this.channel);
    this.#queue.push(limit === undefined ? exit : { ...exit, limit });
    this.#queue.close();
  }

  #finish(): void {
    this.#state = "over";
    clearTimeout(this.#timer);
    clearTimeout(this.#killTimer);
    this.#input.close();
    this.#end.resolve();
  }

  #timeOut(): void {
    this.#limit = "timeout";
    void this.kill();
  }

  #grant(bytes: number): void {
    if (this.#state === "running") this.#output.consumed(bytes);
  }

  /** The reader left early: nobody will see how it ends, so nothing may go on running. */
  #abandon(): void {
    this.#outputLeft = 0;
    void this.kill();
  }
}
