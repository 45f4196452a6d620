import type { Readable } from "node:stream";
import type { ExecCall } from "../client/exec-call.ts";

/** Sends a stream as the command's standard input, only as fast as the command reads, and closes it at its end. Returns the function that stops. */
export function forwardStdin(stdin: Readable, call: ExecCall): () => void {
  let stopped = false;
  async function pump(): Promise<void> {
    try {
      for await (const chunk of stdin) if (stopped || !(await call.writeStdin(bytesOf(chunk)))) return;
    } catch {
      // Input that breaks off ends like one that ends; stopping below ends here, too.
    }
    if (!stopped) call.closeStdin();
  }
  void pump();
  return () => {
    stopped = true;
    // Otherwise an open pipe or terminal keeps this process alive after the command's end.
    stdin.destroy();
  };
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError("standard input must be read as bytes");
}
