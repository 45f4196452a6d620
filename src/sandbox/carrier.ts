/** Carries the framed stream to one init and back, whatever lies between. */
export interface Carrier {
  /** Queues a frame or a part of one. What is queued in one turn leaves in one write. */
  send(bytes: Uint8Array): void;
  /**
   * Begins to read. `onBytes` returns how much it took; it is given the rest in a later turn, and nothing is read meanwhile. A throw of it ends the carrier. `onEnd` is
   * called once, with the reason.
   */
  start(onBytes: (chunk: Uint8Array) => number, onEnd: (reason: string) => void): void;
  /** Bytes that were sent and that the kernel has not taken yet, with what it costs to keep them in many pieces. */
  readonly backlog: number;
  /** Ends it at once; `onEnd` follows. */
  destroy(reason: string): void;
}
