/** Carries the framed stream to one init and back, whatever lies between. */
export interface Carrier {
  /** Queues a frame or a part of one. What is queued in one turn leaves in one write. */
  send(bytes: Uint8Array): void;
  /** Begins to read. `onEnd` is called once, with the reason. A throw of `onBytes` ends the carrier. */
  start(onBytes: (chunk: Uint8Array) => void, onEnd: (reason: string) => void): void;
  /** Bytes that were sent and that the kernel has not taken yet. */
  readonly backlog: number;
  /** Ends it at once; `onEnd` follows. */
  destroy(reason: string): void;
}
