import type { Process } from "../../model/runtime.ts";

/** Input of one command that may wait here, so that what comes after it can overtake it. Bytes. */
const aheadBytes = 4 * 1024 * 1024;
/** What a write costs besides its bytes: many small ones are bounded, too. */
const writeBytes = 256;

/** Input on its way to a command, taken in order and ahead of the command's own reading. */
export interface InputAhead {
  /** Resolves when there is room for more. @throws what an earlier write threw. */
  write(data: Uint8Array): Promise<void>;
}

/** Takes input for a command while it is not read, up to a bound. */
export function inputAhead(process: Pick<Process, "writeStdin">): InputAhead {
  const state = { waiting: 0 };
  let fault: unknown;
  let room = Promise.withResolvers<void>();
  const send = async (data: Uint8Array, cost: number): Promise<void> => {
    try {
      await process.writeStdin(data);
    } catch (error) {
      fault ??= error;
    }
    state.waiting -= cost;
    room.resolve();
    room = Promise.withResolvers();
  };
  return {
    async write(data) {
      const cost = data.length + writeBytes;
      state.waiting += cost;
      void send(data, cost);
      while (state.waiting > aheadBytes) await room.promise;
      if (fault !== undefined) throw fault;
    },
  };
}
