import type { Socket } from "node:net";

/**
 * Gives what comes by the socket to a taker that may leave a rest: it gets that in a later turn of the event loop, and nothing is read meanwhile. So a flood of frames
 * that each cost something has a turn like everybody else, and slows its sender. What `take` throws is thrown on at once, and handed to `onError` in a later turn.
 */
export function inTurns(
  socket: Socket,
  take: (chunk: Uint8Array) => number,
  onError: (error: unknown) => void,
): (chunk: Uint8Array) => void {
  const waiting: Uint8Array[] = [];

  function give(chunk: Uint8Array): void {
    const taken = take(chunk);
    if (taken < chunk.length) waiting.unshift(chunk.subarray(taken));
  }

  function later(): void {
    setImmediate(() => {
      if (socket.destroyed) return;
      const first = waiting.shift();
      try {
        if (first !== undefined) give(first);
      } catch (error) {
        onError(error);
        return;
      }
      if (waiting.length > 0) later();
      else socket.resume();
    });
  }

  return (chunk) => {
    if (waiting.length > 0) {
      waiting.push(chunk);
      return;
    }
    give(chunk);
    if (waiting.length === 0) return;
    socket.pause();
    later();
  };
}
