import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { RunRequestSchema } from "../../src/gen/sallyport/v1/exec_pb.ts";
import type { ExecIntent } from "../../src/model/intent.ts";
import type { Process } from "../../src/model/runtime.ts";
import { feedCommand } from "../../src/server/handlers/feed-command.ts";

type Step = MessageInitShape<typeof RunRequestSchema>;

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

/** A process that reads nothing until it is told to; `seen` is what reached it. */
function deafProcess() {
  const seen: unknown[] = [];
  const reads: PromiseWithResolvers<boolean>[] = [];
  const process: Process = {
    events: (async function* () {})(),
    writeStdin: (data) => {
      seen.push(data.length < 10 ? Buffer.from(data).toString() : data.length);
      const read = Promise.withResolvers<boolean>();
      reads.push(read);
      return read.promise;
    },
    closeStdin: () => void seen.push("close"),
    resize: (size) => void seen.push(size),
    signal: (number) => void seen.push(number),
    end: () => Promise.resolve(),
    kill: () => Promise.resolve(),
  };
  return { process, seen, reads };
}

/** Requests; `taken` counts those that were asked for. */
function requestsOf(steps: readonly Step[]) {
  const state = { taken: 0 };
  async function* requests() {
    for (const step of steps) {
      state.taken += 1;
      yield create(RunRequestSchema, step);
    }
  }
  return { requests: requests(), state };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const stdin = (value: Uint8Array): Step => ({ step: { case: "stdin", value } });

it("brings each step to the command in its order; signals and sizes do not wait for input that is not read", async () => {
  const { process, seen } = deafProcess();
  const { requests } = requestsOf([
    { step: { case: "resize", value: { columns: 80, rows: 24 } } },
    stdin(Buffer.from("q")),
    stdin(Buffer.from("w")),
    { step: { case: "signal", value: 28 } },
    { step: { case: "resize", value: { columns: 81, rows: 25 } } },
  ]);
  await feedCommand(requests, process, intent);
  expect(seen).toEqual([{ columns: 80, rows: 24 }, "q", "w", 28, { columns: 81, rows: 25 }, "close"]);
});

it.each([
  ["large", 1024 * 1024, 100, 4],
  ["small", 1, 20_000, 17_000],
])("takes so much unread input in %s pieces and no more, until it is read", async (_name, size, count, most) => {
  const { process, seen, reads } = deafProcess();
  const { requests, state } = requestsOf(Array.from({ length: count }, () => stdin(Buffer.alloc(size))));
  const fed = feedCommand(requests, process, intent);
  for (let last = -1; last !== state.taken; await turn()) last = state.taken;
  expect(state.taken).toBeLessThanOrEqual(most + 1);
  expect(state.taken).toBeGreaterThanOrEqual(3);
  const before = state.taken;
  reads.shift()?.resolve(true);
  await turn();
  expect(state.taken).toBe(before + 1);
  while (!seen.includes("close")) {
    for (const read of reads.splice(0)) read.resolve(true);
    await turn();
  }
  await fed;
  expect(seen).toHaveLength(count + 1);
});

it("fails with what a write failed with", async () => {
  const { process } = deafProcess();
  const broken = { ...process, writeStdin: () => Promise.reject(new Error("broken")) };
  const { requests } = requestsOf([stdin(Buffer.from("a")), stdin(Buffer.from("b"))]);
  await expect(feedCommand(requests, broken, intent)).rejects.toThrow("broken");
});
