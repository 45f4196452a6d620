import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Every message of a stream is several buffers outside of V8's heap, dead a moment later. V8 frees them with the young garbage of its heap, of which there is little, and marks the
// whole heap after every few megabytes of them instead. That was three quarters of the CPU of a large file, and its memory was new each time, so that every page of it faulted.

/** Bytes of messages after which their buffers are collected. */
const everyBytes = 3 * 1024 * 1024;

/** Lets the heap grow to four times of what lives before all of it is collected. The price is memory: tens of megabytes. */
export function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=300");
}

/** Makes a counter of streamed bytes that has the young garbage collected now and then, which takes less than a millisecond. Where Node offers no way to that, it only counts. */
export function createStreamMeter(): (bytes: number) => void {
  const collect = youngCollection();
  let streamed = 0;
  return (bytes) => {
    streamed += bytes;
    if (streamed < everyBytes) return;
    streamed = 0;
    collect();
  };
}

/** V8's own function for tests of memory; it has to be switched on to be had. */
function youngCollection(): () => void {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("typeof gc === 'function' ? gc : undefined");
  setFlagsFromString("--no-expose-gc");
  return typeof found === "function" ? () => void Reflect.apply(found, undefined, [{ type: "minor" }]) : () => {};
}
