import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Runs code in a Node of its own: flags of V8 hold for a whole process. */
function run(code: string): unknown {
  const script = `import { createStreamMeter, letHeapGrow } from ${JSON.stringify(join(import.meta.dirname, "../../src/wiring/stream-memory.ts"))};\n${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
}

/** Streams 400 chunks of 256 KiB that are dead at once, and prints the most memory outside of the heap that was held. */
const stream = `
  let most = 0;
  for (let sent = 0; sent < 400; sent += 1) {
    const chunk = new Uint8Array(262_144);
    streamed(chunk.length);
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  console.log(JSON.stringify({ most, exposed: typeof globalThis.gc }));
`;

describe("the meter of streams", () => {
  it("keeps the memory of dead chunks to a few megabytes, and exposes nothing", () => {
    const { most, exposed } = run(`const streamed = createStreamMeter();${stream}`) as {
      most: number;
      exposed: string;
    };
    expect(most).toBeLessThan(8 * 1024 * 1024);
    expect(exposed).toBe("undefined");
  });

  it("keeps it so where the heap may grow", () => {
    const { most } = run(`letHeapGrow(); const streamed = createStreamMeter();${stream}`) as { most: number };
    expect(most).toBeLessThan(8 * 1024 * 1024);
  });
});
