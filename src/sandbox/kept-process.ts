import type {
  BackgroundEnd,
  BackgroundFacts,
  BackgroundProcess,
  FollowEvent,
  FollowOptions,
} from "../model/background.ts";
import type { Command } from "../model/intent.ts";
import type { EntryId, SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import { OutputRing } from "../model/output-ring.ts";
import type { Process } from "../model/runtime.ts";
import { until } from "./within.ts";

/** Bytes of one event. */
const pieceBytes = 64 * 1024;
/** Input that may wait for one process. Bytes. */
const maxInputBytes = 4 * 1024 * 1024;

/** A process that is read here, to its end, whoever follows it. */
export class KeptProcess implements BackgroundProcess {
  readonly id: EntryId;
  readonly session: SessionId;
  readonly command: Command;
  readonly pty: boolean;
  readonly startedAt = new Date();
  readonly pid: number;
  readonly control: BackgroundProcess["control"];
  readonly #process: Process;
  readonly #facts: BackgroundFacts;
  readonly #ring: OutputRing;
  readonly #ringBytes: number;
  readonly #bytes = { stdout: 0, stderr: 0 };
  #end: BackgroundEnd | undefined;
  #endedAt: number | undefined;
  #changed = Promise.withResolvers<void>();
  /** Where the caller who holds it has got to; undefined where there is none any more. */
  #heldAt: number | undefined;
  #heldMoved = Promise.withResolvers<void>();
  #inputWaiting = 0;
  #inputOpen: boolean;

  constructor(process: Process, pid: number, facts: BackgroundFacts, ringBytes: number) {
    this.id = facts.id;
    this.session = facts.session;
    this.command = facts.command;
    this.pty = facts.pty;
    this.pid = pid;
    this.#process = process;
    this.control = {
      signal: (number) => process.signal(number),
      resize: (size) => process.resize(size),
      end: () => this.#stop(),
    };
    this.#facts = facts;
    this.#ring = new OutputRing(ringBytes);
    this.#ringBytes = ringBytes;
    this.#inputOpen = facts.stdin;
    this.#heldAt = facts.held ? 0 : undefined;
  }

  get end(): BackgroundEnd | undefined {
    return this.#end;
  }

  get output(): { readonly from: number; readonly to: number } {
    return { from: this.#ring.from, to: this.#ring.to };
  }

  get superseded(): boolean {
    return this.#end === undefined && this.#facts.superseded();
  }

  get bytes(): { readonly stdout: number; readonly stderr: number } {
    return this.#bytes;
  }

  /** On the clock of performance.now(). */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** Reads all events after `started`. Resolves with the end; never rejects. */
  async read(): Promise<BackgroundEnd> {
    this.#end = await this.#readToEnd();
    this.#endedAt = performance.now();
    this.#notify();
    return this.#end;
  }

  async write(data: Uint8Array, close: boolean): Promise<void> {
    this.#checkInput();
    if (this.#inputWaiting + data.length > maxInputBytes)
      throw new Problem(
        "resource_exhausted",
        `data: ${this.#inputWaiting} bytes wait already: the process does not read`,
      );
    if (close) this.#inputOpen = false;
    this.#inputWaiting += data.length;
    const taken = this.#process.writeStdin(data).finally(() => (this.#inputWaiting -= data.length));
    if (close) this.#process.closeStdin();
    if (!(await taken)) throw new Problem("failed_precondition", "the process ended before it took all of it");
  }

  async *follow({ offset, untilNow }: FollowOptions, signal: AbortSignal): AsyncGenerator<FollowEvent> {
    if (offset > this.#ring.to)
      throw new Problem("out_of_range", `offset: only ${this.#ring.to} bytes were written`, { field: "offset" });
    let at = offset;
    const last = untilNow ? this.#ring.to : Infinity;
    while (!signal.aborted && at < last) {
      const event = this.#next(at, last - at);
      if (event === undefined) {
        if (this.#end !== undefined) break;
        await until(this.#changed.promise, signal).catch(() => {});
        continue;
      }
      at += event.kind === "lost" ? event.bytes : event.data.length;
      yield event;
    }
    if (signal.aborted || this.#end === undefined || at < this.#ring.to) return;
    if (this.#end.kind === "lost") throw new Problem("unavailable", this.#end.reason);
    yield { kind: "exit", offset: at, exit: this.#end };
  }

  async *followHeld(signal: AbortSignal): AsyncGenerator<FollowEvent> {
    for await (const event of this.follow({ offset: 0, untilNow: false }, signal)) {
      yield event;
      if ("data" in event) this.#moveHeld(event.offset + event.data.length);
    }
  }

  letGo(): void {
    this.#moveHeld(undefined);
  }

  /** Also until its last output was read, so that it is known to have ended; but not where that waits for the caller who holds it. */
  async #stop(): Promise<void> {
    await this.#process.end();
    while (this.#end === undefined && this.#heldAt === undefined) await this.#changed.promise;
  }

  #next(at: number, most: number): Exclude<FollowEvent, { kind: "exit" }> | undefined {
    const { from } = this.#ring;
    if (at < from) return { kind: "lost", offset: at, bytes: Math.min(from - at, most) };
    const piece = this.#ring.read(at, Math.min(pieceBytes, most));
    return piece === undefined ? undefined : { kind: piece.kind, offset: at, data: piece.data };
  }

  async #readToEnd(): Promise<BackgroundEnd> {
    try {
      for await (const event of this.#process.events) {
        if (event.kind === "exit") return event;
        if (event.kind === "started") continue;
        this.#bytes[event.kind] += event.data.length;
        this.#ring.append(event.kind, event.data);
        this.#notify();
        // Half of the ring, and no event is larger than the other half.
        while (this.#heldAt !== undefined && this.#ring.to - this.#heldAt > this.#ringBytes / 2)
          await this.#heldMoved.promise;
      }
      return { kind: "lost", reason: "the sandbox ended before the process did" };
    } catch (error) {
      return { kind: "lost", reason: error instanceof Problem ? error.message : "its events broke off" };
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #moveHeld(at: number | undefined): void {
    this.#heldAt = at;
    this.#heldMoved.resolve();
    this.#heldMoved = Promise.withResolvers();
  }

  #checkInput(): void {
    const refuse = (why: string): Problem =>
      new Problem("failed_precondition", `process_id: ${why}`, { field: "process_id" });
    if (this.#end !== undefined) throw refuse("the process has ended");
    if (!this.#facts.stdin) throw refuse("was started without stdin");
    if (!this.#inputOpen) throw refuse("its input is closed");
  }
}
