import { createClient } from "../../../src/clients/client/create-client.ts";
import { runApprover } from "../../../src/clients/approver/run-approver.ts";

// Runs the approver as `serve --approve` does. Arguments: socket, grace in milliseconds, `once` or `watch`.
const [socket = "", graceMs = "0", kind = "watch"] = process.argv.slice(2);
const client = createClient({ socket });
const controller = new AbortController();
process.on("SIGUSR2", () => controller.abort());
try {
  const { stdin: input, stdout: output } = process;
  const end = await runApprover({
    client,
    input,
    output,
    signal: controller.signal,
    graceMs: Number(graceMs),
    once: kind === "once",
  });
  process.stdout.write(`END ${end} raw=${input.isRaw}\n`);
} catch (error) {
  process.stdout.write(`FAILED ${String(error)} raw=${process.stdin.isRaw}\n`);
}
client.close();
