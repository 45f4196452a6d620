import type { ProcessEvent } from "../model/runtime.ts";
import { leastGathered, OutputBuffers, OutputSlot } from "./output-slot.ts";

type Result = IteratorResult<ProcessEvent, undefined>;
type Output = Extract<ProcessEvent, { data: Uint8Array }>;

interface Reader {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** Events of one command on their way to one reader. How much can wait is bounded by the credit that the reader grants. */
export class EventQueue implements AsyncIterable<ProcessEvent>, AsyncIterator<ProcessEvent, undefined> {
  readonly #onTaken: (bytes: number) => void;
  readonly #onAbandoned: () => void;
  readonly #buffers: OutputBuffers;
  #items: (ProcessEvent | OutputSlot)[] = [];
  #head = 0;
  /** The last waiting slot of each stream; order holds within a stream, as it does with two pipes. */
  #last: { stdout?: OutputSlot | undefined; stderr?: OutputSlot | undefined } = {};
  #readers: Reader[] = [];
  /** Readers are about to be given what is there. */
  #handing = false;
  #over: Error | true | undefined;

  /** `onTaken` hears how many bytes of data the reader took; `onAbandoned` that it left before the end. Pieces that wait are gathered up to `gatherBytes`. */
  constructor(onTaken: (bytes: number) => void, onAbandoned: () => void, gatherBytes = leastGathered) {
    this.#onTaken = onTaken;
    this.#onAbandoned = onAbandoned;
    this.#buffers = new OutputBuffers(gatherBytes);
  }

  push(event: ProcessEvent): void {
    if (this.#over !== undefined) return;
    if ("data" in event) this.#keep(event);
    else this.#items.push(event);
    if (this.#readers.length === 0 || this.#handing) return;
    this.#handing = true;
    // Not at once: what one read of the stream brought comes in pieces, which are one event.
    queueMicrotask(() => this.#handOut());
  }

  /** No event follows: readers see the end after the last event, or `error`. */
  close(error?: Error): void {
    if (this.#over !== undefined) return;
    this.#handOut();
    this.#over = error ?? true;
    const readers = this.#readers;
    this.#readers = [];
    for (const reader of readers) {
      if (error === undefined) reader.resolve({ value: undefined, done: true });
      else reader.reject(error);
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const event = this.#shift();
    if (event !== undefined) {
      this.#took(event);
      return Promise.resolve({ value: event, done: false });
    }
    if (this.#over instanceof Error) return Promise.reject(this.#over);
    if (this.#over !== undefined) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** The reader leaves: what waits is let go, and the command with it. */
  return(): Promise<Result> {
    this.#items = [];
    this.#head = 0;
    this.#last = {};
    if (this.#over === undefined) {
      this.close();
      this.#onAbandoned();
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  #handOut(): void {
    this.#handing = false;
    while (this.#readers.length > 0) {
      const event = this.#shift();
      if (event === undefined) return;
      this.#took(event);
      this.#readers.shift()?.resolve({ value: event, done: false });
    }
  }

  #keep(event: Output): void {
    if (this.#last[event.kind]?.add(event.data) === true) return;
    const slot = new OutputSlot(event.kind, event.data, this.#buffers);
    this.#last[event.kind] = slot;
    this.#items.push(slot);
  }

  #shift(): ProcessEvent | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items = [];
      this.#head = 0;
    }
    if (!(item instanceof OutputSlot)) return item;
    if (this.#last[item.kind] === item) this.#last[item.kind] = undefined;
    return { kind: item.kind, data: item.take() };
  }

  #took(event: ProcessEvent): void {
    if ("data" in event) this.#onTaken(event.data.length);
  }
}
