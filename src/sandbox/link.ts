import type { SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { InsideConnection } from "../model/runtime.ts";
import { encodeReset, encodeStat } from "../wire/encode-frame.ts";
import { encodeSpawn, type SpawnRequest } from "../wire/encode-spawn.ts";
import { FrameDecoder } from "../wire/frame-decoder.ts";
import type { Frame, StatedFrame } from "../wire/frame.ts";
import { feature, firstTcpChannel, windowBytes, wireVersion } from "../wire/protocol.ts";
import { WireError } from "../wire/wire-error.ts";
import type { Carrier } from "./carrier.ts";
import { ConnectionChannel } from "./connection-channel.ts";
import { ProcessChannel, type ProcessBounds } from "./process-channel.ts";

/** Bounds of one link: whatever a sandbox does, this is what it can make the sidecar hold. */
const maxProcesses = 256;
const maxConnections = 256;
/** Past this much credit given out, new channels get small windows. */
const ampleCredit = 32 * 1024 * 1024;
const smallWindow = 16 * 1024;
/** Bytes for an init that does not read, past what all channels of now may have under way. Only one that is stopped or broken lets so much pile up. */
const spareBacklog = 16 * 1024 * 1024;
/** Steps of the decoder in one turn: what a flood of frames takes before others have theirs. */
const stepsPerTurn = 512;

/** The sidecar's end of one init: its channels over one carrier. */
export class Link {
  readonly #carrier: Carrier;
  #session: SessionId;
  readonly #processes = new Map<number, ProcessChannel>();
  readonly #connections = new Map<number, ConnectionChannel>();
  readonly #stats = new Map<number, (answer: StatedFrame) => void>();
  readonly #windows = new Map<number, number>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<string>();
  #credit = 0;
  #nextChannel = 1;
  #greeted = false;
  #problem: Problem | undefined;
  #onIdle: () => void = () => {};
  #onConnection: ((connection: InsideConnection) => void) | undefined;

  constructor(carrier: Carrier, session: SessionId) {
    this.#carrier = carrier;
    this.#session = session;
    // Nobody has to wait for it.
    this.#ready.promise.catch(() => {});
    const decoder = new FrameDecoder((frame) => this.#accept(frame));
    carrier.start(
      (chunk) => decoder.push(chunk, stepsPerTurn),
      (reason) => this.#lose(reason),
    );
  }

  /** Resolves after init's hello. @throws Problem where it speaks another version, lacks a feature or is gone. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves with the reason when the link has ended. */
  get gone(): Promise<string> {
    return this.#gone.promise;
  }

  /** Commands that run or are about to. */
  get running(): number {
    return this.#processes.size;
  }

  /** Calls back whenever the last command has ended. */
  onIdle(handler: () => void): void {
    this.#onIdle = handler;
  }

  onConnection(handler: (connection: InsideConnection) => void): void {
    this.#onConnection = handler;
  }

  /** Connections from now on are that session's. */
  belongTo(session: SessionId): void {
    this.#session = session;
  }

  /** Asks for a command; its `started` tells whether it runs. @throws Problem `invalid_argument`, `resource_exhausted`, `unavailable`. */
  spawn(request: Omit<SpawnRequest, "credit">, bounds: ProcessBounds): ProcessChannel {
    if (this.#problem !== undefined) throw this.#problem;
    if (this.#processes.size >= maxProcesses)
      throw new Problem("resource_exhausted", `${maxProcesses} commands run in this sandbox already`);
    const number = this.#freeChannel();
    const credit = this.#takeWindow(number);
    const process = new ProcessChannel(number, credit, this.#host, bounds);
    this.#processes.set(number, process);
    try {
      this.#send(encodeSpawn(number, { ...request, credit }));
    } catch (error) {
      this.#release(number);
      const problem =
        error instanceof WireError
          ? new Problem("invalid_argument", `command: ${error.message}`, { field: "command" })
          : new Problem("internal", "the command could not be encoded", { cause: error });
      process.lost(problem);
    }
    return process;
  }

  /** What lstat(2) says of a path inside. */
  stat(path: string): Promise<StatedFrame> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    const number = this.#freeChannel();
    return new Promise((resolve, reject) => {
      this.#stats.set(number, resolve);
      void this.gone.then((reason) => reject(new Problem("unavailable", `the sandbox is gone: ${reason}`)));
      this.#send(encodeStat(number, path));
    });
  }

  /** Ends the link, and with it init and everything in the sandbox. */
  end(reason: string): void {
    this.#carrier.destroy(reason);
    this.#lose(reason);
  }

  readonly #host = {
    send: (bytes: Uint8Array): void => this.#send(bytes),
    release: (channel: number): void => this.#release(channel),
    end: (reason: string): void => this.end(reason),
  };

  #send(bytes: Uint8Array): void {
    if (this.#problem !== undefined) return;
    this.#carrier.send(bytes);
    const channels = this.#processes.size + this.#connections.size;
    if (this.#carrier.backlog > spareBacklog + channels * windowBytes) this.end("init does not read");
  }

  #accept(frame: Frame): void {
    // A frame before this one may have ended the link.
    if (this.#problem !== undefined) return;
    if (!this.#greeted) {
      this.#greet(frame);
      return;
    }
    if (frame.kind === "hello" || frame.kind === "pong") throw new WireError(`an unasked ${frame.kind}`);
    if (frame.kind === "open") this.#open(frame.channel);
    else if (frame.kind === "stated") this.#answerStat(frame);
    else if (frame.channel < firstTcpChannel) this.#toProcess(frame.channel, frame);
    // A connection that this end has reset may still have sent something before it knew.
    else this.#connections.get(frame.channel)?.accept(frame);
  }

  #greet(frame: Frame): void {
    if (frame.kind !== "hello") throw new WireError(`${frame.kind} before the hello`);
    const wanted = feature.pty | feature.tcp | feature.tree;
    if (frame.version !== wireVersion || (frame.features & wanted) !== wanted)
      throw new WireError(`init speaks version ${frame.version} with features ${frame.features}`);
    this.#greeted = true;
    this.#ready.resolve();
  }

  #toProcess(channel: number, frame: Frame): void {
    const process = this.#processes.get(channel);
    if (process === undefined) throw new WireError(`${frame.kind} on channel ${channel}, where no command is`);
    process.accept(frame);
  }

  #open(channel: number): void {
    if (this.#connections.has(channel)) throw new WireError(`channel ${channel} was opened twice`);
    // Init has the same bound, and lets go of a connection after this end did.
    if (this.#connections.size >= maxConnections) throw new WireError("more connections than there may be");
    if (this.#onConnection === undefined) {
      this.#send(encodeReset(channel));
      return;
    }
    const connection = new ConnectionChannel(channel, this.#takeWindow(channel), this.#session, this.#host);
    this.#connections.set(channel, connection);
    this.#onConnection(connection);
  }

  #answerStat(frame: StatedFrame): void {
    const resolve = this.#stats.get(frame.channel);
    if (resolve === undefined) throw new WireError("an unasked answer");
    this.#stats.delete(frame.channel);
    resolve(frame);
  }

  #lose(reason: string): void {
    if (this.#problem !== undefined) return;
    const problem = new Problem("unavailable", `the sandbox is gone: ${reason}`);
    this.#problem = problem;
    this.#ready.reject(problem);
    for (const process of this.#processes.values()) process.lost(problem);
    for (const connection of this.#connections.values()) connection.lost(problem);
    this.#processes.clear();
    this.#connections.clear();
    this.#gone.resolve(reason);
  }

  #freeChannel(): number {
    do {
      this.#nextChannel = this.#nextChannel + 1 < firstTcpChannel ? this.#nextChannel + 1 : 1;
    } while (this.#processes.has(this.#nextChannel) || this.#stats.has(this.#nextChannel));
    return this.#nextChannel;
  }

  #takeWindow(channel: number): number {
    const size = this.#credit + windowBytes > ampleCredit ? smallWindow : windowBytes;
    this.#credit += size;
    this.#windows.set(channel, size);
    return size;
  }

  #release(channel: number): void {
    if (this.#processes.delete(channel) && this.#processes.size === 0) this.#onIdle();
    this.#connections.delete(channel);
    this.#credit -= this.#windows.get(channel) ?? 0;
    this.#windows.delete(channel);
  }
}
