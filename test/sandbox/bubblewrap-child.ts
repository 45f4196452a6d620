/** Makes a bubblewrap sandbox as whoever runs this, runs commands in it and prints what came of it as one line of JSON. */
import { createBubblewrapRuntime } from "../../src/sandbox/bubblewrap/bubblewrap-runtime.ts";
import { compileHostile } from "./contract/image.ts";
import { Bench, run } from "./harness.ts";

await using strict = new Bench({}, { make: createBubblewrapRuntime, image: "machine" });
// None of the limits was asked for, so that they hold as far as the machine lets.
const defaultLimits = strict.spec().limits;
await using loose = new Bench(
  {},
  { make: (options) => createBubblewrapRuntime({ ...options, defaultLimits }), image: "machine" },
);

const { enforces, reason } = await loose.runtime.probe();
const sandbox = await loose.open();
const outputs: string[] = [];
for (const text of process.argv.slice(2)) outputs.push((await run(sandbox, text)).stdout);
const hostile = (await run(sandbox, { argv: [compileHostile(`${loose.workspace}/tools`)] })).stdout;
const asked = await strict.open().then(
  () => "opened",
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
);
process.stdout.write(`${JSON.stringify({ enforces, reason, outputs, hostile, asked })}\n`);
