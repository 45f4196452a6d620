import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { RunRequestSchema } from "../../src/gen/sallyport/v1/exec_pb.ts";
import type { ExecIntent } from "../../src/model/intent.ts";
import type { Process } from "../../src/model/runtime.ts";
import { feedCommand } from "../../src/server/handlers/feed-command.ts";

it("brings each step to the command in its order, and waits until input was taken", async () => {
  const seen: unknown[] = [];
  const taken = Promise.withResolvers<void>();
  const process: Process = {
    events: (async function* () {})(),
    writeStdin: (data) => {
      seen.push(Buffer.from(data).toString());
      return taken.promise;
    },
    closeStdin: () => void seen.push("close"),
    resize: (size) => void seen.push(size),
    signal: (number) => void seen.push(number),
    kill: () => Promise.resolve(),
  };
  const intent: ExecIntent = {
    kind: "exec",
    command: { kind: "argv", argv: ["top"] },
    cwd: "/" as ExecIntent["cwd"],
    env: {},
    stdin: true,
    background: false,
    pty: { columns: 1, rows: 1 },
    limits: { timeoutMs: 0, outputBytes: 0 },
  };
  const steps: MessageInitShape<typeof RunRequestSchema>[] = [
    { step: { case: "resize", value: { columns: 80, rows: 24 } } },
    { step: { case: "stdin", value: Buffer.from("q") } },
    { step: { case: "signal", value: 28 } },
  ];
  async function* requests() {
    for (const step of steps) yield create(RunRequestSchema, step);
  }
  const fed = feedCommand(requests(), process, intent);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual([{ columns: 80, rows: 24 }, "q"]);
  taken.resolve();
  await fed;
  expect(seen.slice(2)).toEqual([28, "close"]);
});
