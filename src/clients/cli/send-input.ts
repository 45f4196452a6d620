import type { Readable } from "node:stream";
import type { SallyportClient } from "../client/create-client.ts";

/** A background process in its session. */
export interface NamedProcess {
  readonly sessionId: string;
  readonly processId: string;
}

// The server takes 1 MiB in one call.
const chunkBytes = 256 * 1024;

/** Sends a stream to a background process, only as fast as it reads, and closes its input at the end. Returns the function that stops. */
export function sendInput(stdin: Readable, client: SallyportClient, named: NamedProcess): () => void {
  const stopping = new AbortController();
  async function pump(): Promise<void> {
    for await (const chunk of stdin) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError("standard input must be read as bytes");
      for (let at = 0; at < chunk.length; at += chunkBytes)
        await client.commands.sendInput(
          { ...named, data: chunk.subarray(at, at + chunkBytes) },
          { signal: stopping.signal },
        );
    }
    await client.commands.sendInput({ ...named, close: true }, { signal: stopping.signal });
  }
  // A process that has ended or closed its input takes no more; following it says the rest.
  void pump().catch(() => {});
  return () => {
    stopping.abort();
    stdin.destroy();
  };
}
