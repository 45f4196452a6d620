import type { ReadStream, WriteStream } from "node:tty";
import { keyGate } from "./key-gate.ts";
import { promptsOn, type Prompts } from "./prompts.ts";

/** Takes a terminal over for a few prompts. Ctrl-C cuts them. Keys count after half a second only, so that nothing typed ahead is an answer. */
export async function onTerminal<T>(
  input: ReadStream,
  output: WriteStream,
  use: (prompts: Prompts) => Promise<T>,
): Promise<T> {
  const gate = keyGate(input);
  try {
    return await use(promptsOn({ gate, output, signal: gate.interrupted, graceMs: 500 }));
  } finally {
    gate.release();
  }
}
