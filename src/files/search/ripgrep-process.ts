import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { Problem } from "../../model/problem.ts";
import type { SearchEnd } from "./search-hit.ts";

/** Milliseconds that a search may take. */
const maxMs = 60_000;
/** Bytes of output that are looked at. */
const maxOutputBytes = 512 * 1024 * 1024;
/** Longest line of output; a longer one, which shows a line of megabytes, is left out. */
const maxLineBytes = 8 * 1024 * 1024;
const maxErrorBytes = 8192;
/** Output that says this little is read again only after a while. Hits that come one by one would each wake this process and the client, while the search program needs the same cores. */
const gathered = { bytes: 16 * 1024, ms: 10 };

/** How a run of ripgrep ended. */
export interface RipgrepEnd {
  readonly end: Extract<SearchEnd, "complete" | "time" | "size">;
  /** What it complained of; empty where it did not. */
  readonly complaint: string;
}

/** A started search program. Read its lines to the end, or return from them. */
export interface RunningRipgrep {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Resolves when it is gone, with the reason where it could not be started. */
  readonly gone: Promise<unknown>;
  readonly complaint: () => string;
}

/** Starts ripgrep in a folder, before this returns. It gets no environment and no input. */
export function startRipgrep(program: string, args: readonly string[], folder: string): RunningRipgrep {
  const child = spawn(program, args, { cwd: folder, env: {}, stdio: ["ignore", "pipe", "pipe"] });
  const gone = once(child, "close").then(
    () => undefined,
    (error: unknown) => error,
  );
  return { child, gone, complaint: collect(child.stderr) };
}

/**
 * The lines of a search program. It is killed where its reader leaves, where it takes too long and where it says too much. `ended` is told before the generator ends.
 * @throws Problem `cancelled`, `unavailable` where it could not be started
 */
export async function* ripgrepLines(
  { child, gone, complaint }: RunningRipgrep,
  signal: AbortSignal,
  ended: (end: RipgrepEnd) => void,
): AsyncGenerator<string> {
  let end: RipgrepEnd["end"] = "complete";
  const timer = setTimeout(() => {
    end = "time";
    child.kill("SIGKILL");
  }, maxMs);
  const onAbort = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    const size = { left: maxOutputBytes };
    yield* linesOf(child, size);
    if (size.left <= 0) end = "size";
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    child.kill("SIGKILL");
  }
  const failure = await gone;
  if (signal.aborted) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
  if (failure !== undefined)
    throw new Problem("unavailable", "the search program cannot be started", { cause: failure });
  ended({ end, complaint: complaint() });
}

async function* linesOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
  size: { left: number },
): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let held = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    size.left -= chunk.length;
    if (size.left <= 0) return;
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      if (held + at - start <= maxLineBytes)
        yield Buffer.concat([...parts, chunk.subarray(start, at)]).toString("utf8");
      parts = [];
      held = 0;
      start = at + 1;
    }
    held += chunk.length - start;
    if (held <= maxLineBytes) parts.push(chunk.subarray(start));
    else parts = [];
    if (chunk.length < gathered.bytes && child.exitCode === null && child.signalCode === null) await moreOf(child);
  }
}

/** Waits until there may be more of the output of a running program together, or all of it. */
function moreOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<void> {
  return new Promise((resolve) => {
    function wake(): void {
      clearTimeout(timer);
      child.off("exit", wake);
      resolve();
    }
    const timer = setTimeout(wake, gathered.ms);
    child.once("exit", wake);
  });
}

/** The first bytes of a stream, which is read to its end whatever its length. */
function collect(stream: Readable): () => string {
  const parts: Buffer[] = [];
  let held = 0;
  stream.on("data", (chunk: Buffer) => {
    if (held < maxErrorBytes) parts.push(chunk.subarray(0, maxErrorBytes - held));
    held += chunk.length;
  });
  return () => Buffer.concat(parts).toString("utf8");
}
