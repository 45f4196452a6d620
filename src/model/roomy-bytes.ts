/** Bytes of the room in front of {@link RoomyBytes}: the head of a gRPC message (5), a protobuf tag and a length have place there. */
export const roomBytes = 16;

/**
 * Bytes with room in front of them in their buffer that nobody else uses. Whoever sends them writes what must stand before them into that room, once, instead of copying a large chunk behind it.
 */
export class RoomyBytes extends Uint8Array {
  /** A part of them has no such room: what stands before it is theirs. */
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array;
  }

  /**
   * Called at most once, by whoever sent them and looks at them no more: their buffer then takes other bytes. Where nobody calls it, it is collected like any other. Undefined where
   * nobody waits for the buffer.
   */
  giveBack: (() => void) | undefined = undefined;

  /** Bytes of other buffers that were left to the garbage collector on the way here. */
  leftBehind = 0;
}

/** The bytes from {@link roomBytes} on of a buffer that is the caller's alone. */
export function roomyBytes(buffer: ArrayBuffer, length: number): RoomyBytes {
  return new RoomyBytes(buffer, roomBytes, length);
}

/** Says that nobody looks at these bytes any more. */
export function giveBack(bytes: Uint8Array): void {
  if (bytes instanceof RoomyBytes) bytes.giveBack?.();
}
