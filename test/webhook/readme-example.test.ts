import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createAnswerEndpoint } from "../../src/clients/webhook/answer-endpoint.ts";
import { createReplayGuard } from "../../src/clients/webhook/replay-guard.ts";
import { startWebhook } from "../../src/clients/webhook/webhook-surface.ts";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { questionBoard } from "../telegram/support/question-board.ts";
import { wayOut } from "../telegram/support/start.ts";
import { secret } from "./support/receiver.ts";

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

it("the program of the README denies what it says, and leaves the rest", async () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");
  const program = /```js\n(\/\/ receiver\.mjs\n[\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const folder = mkdtempSync(join(tmpdir(), "sallyport-receiver-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "receiver.mjs");
  writeFileSync(file, program);

  const board = questionBoard("ann");
  const log = { info: () => {}, warn: () => {} };
  const guard = createReplayGuard(() => Date.now() / 1000);
  const endpoint = createAnswerEndpoint({ port: board, secret, guard, log, tls: undefined });
  const listener = createServer((socket) => endpoint.accept(socket)).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const port = await freePort();
  const child = spawn(process.execPath, [file], {
    env: {
      ...process.env,
      SALLYPORT_WEBHOOK_SECRET: secret,
      PORT: String(port),
      ANSWERS: `http://127.0.0.1:${address.port}/v1/answers`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = `http://127.0.0.1:${port}/questions`;
  const patience = { least: 20, most: 100 };
  const surface = startWebhook({ port: board, fetch: wayOut(url), url, secret, log, patience });
  onTestFinished(async () => {
    await surface.stop();
    endpoint.close();
    listener.close();
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  board.open({ title: "run ls" });
  const feared = board.open({ title: "run rm -r build" });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  expect(said.toString()).toBe('{"rules":[],"notCounted":[]}\n\n');
  expect(board.answered).toMatchObject([
    { person: "ann", request: { questionId: feared.id, answer: AnswerKind.DENY } },
  ]);
});
