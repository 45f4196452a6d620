import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDeliveries } from "../../src/clients/webhook/deliveries.ts";
import { startWebhook, type WebhookOptions } from "../../src/clients/webhook/webhook-surface.ts";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { questionBoard } from "../telegram/support/question-board.ts";
import { wayOut } from "../telegram/support/start.ts";
import { type Receiver, secret, startReceiver } from "./support/receiver.ts";

async function start(options: Partial<WebhookOptions> & { readonly receiver?: Receiver } = {}) {
  const receiver = options.receiver ?? (await startReceiver());
  const board = questionBoard();
  const log: string[] = [];
  const waiting = new Map<string, () => void>();
  const note = (_facts: object, message: string): void => {
    log.push(message);
    waiting.get(message)?.();
  };
  const logged = (message: string): Promise<void> =>
    log.includes(message) ? Promise.resolve() : new Promise((resolve) => waiting.set(message, resolve));
  const surface = startWebhook({
    port: board,
    fetch: wayOut(receiver.url),
    url: receiver.url,
    secret,
    log: { info: () => {}, warn: note },
    patience: { least: 5, most: 40 },
    ...options,
  });
  onTestFinished(() => surface.stop());
  return { receiver, board, surface, logged };
}

function wayOf(receiver: Receiver, id: string): string[] {
  return receiver.arrived.filter((one) => one.id === id).map(({ kind }) => kind);
}

describe("a webhook", () => {
  it("is greeted, and told of a question and its end, signed", async () => {
    const { receiver, board, surface } = await start();
    await receiver.until(() => receiver.arrived.some(({ kind }) => kind === "ping"));
    const question = board.open({ title: "run rm -r build" });
    const opened = await receiver.until(() => receiver.arrived.find(({ kind }) => kind === "opened"));
    expect(JSON.parse(opened.body)).toMatchObject({
      opened: {
        id: question.id,
        title: "run rm -r build",
        suspicious: false,
        answers: expect.arrayContaining(["ANSWER_KIND_DENY"]) as unknown,
      },
    });
    board.close(question.id, AnswerKind.DENY, "local on socket");
    const closed = await receiver.until(() => receiver.arrived.find(({ kind }) => kind === "closed"));
    expect(JSON.parse(closed.body)).toMatchObject({
      closed: { id: question.id, answer: "ANSWER_KIND_DENY", by: "local on socket" },
    });
    expect(receiver.arrived.every(({ signed }) => signed)).toBe(true);
    expect(surface.state.connected).toBe(true);
  });

  it("is told again until it takes a message, with the same identifier, and of the end after the beginning", async () => {
    const { receiver, board } = await start();
    await receiver.until(() => receiver.arrived.length === 1);
    receiver.answer(500, "cut", 429, { status: 503, retryAfter: "0" });
    const question = board.open();
    await receiver.until(() => receiver.arrived.length === 6);
    const tries = receiver.arrived.filter(({ id }) => id === question.id);
    expect(new Set(tries.map(({ delivery }) => delivery)).size).toBe(1);
    board.close(question.id, AnswerKind.ALLOW, "local on socket");
    await receiver.until(() => receiver.arrived.some(({ kind }) => kind === "closed"));
    expect(wayOf(receiver, question.id)).toEqual([...Array<string>(5).fill("opened"), "closed"]);
  });

  it("that wants no wait is not called without end", async () => {
    let sent = 0;
    const stop = new AbortController();
    const deliveries = createDeliveries(
      {
        async send() {
          sent += 1;
          return { kind: "later", why: "the program answered 503", waitMs: 0 };
        },
        state: { set: () => undefined },
        log: { info: () => undefined, warn: () => undefined },
        patience: { least: 3_600_000, most: 3_600_000 },
        endsAfterMs: 1000,
      },
      stop.signal,
    );
    deliveries.greet();
    for (let turn = 0; turn < 1000; turn += 1) await setImmediate();
    expect(sent).toBe(1);
    stop.abort();
    await deliveries.settled();
  });

  it("hears the end of a question whose beginning may have arrived, and nothing of one that cannot have", async () => {
    const { receiver, board } = await start();
    await receiver.until(() => receiver.arrived.length === 1);
    const release = receiver.hold();
    // Four under way are all that there may be; the fifth waits.
    const under = [1, 2, 3, 4].map(() => board.open());
    await receiver.until(() => receiver.arrived.length === 5);
    const behind = board.open();
    for (const question of [...under, behind]) board.close(question.id, AnswerKind.UNSPECIFIED, "withdrawn");
    const last = board.open();
    release();
    await receiver.until(() => under.every(({ id }) => wayOf(receiver, id).includes("closed")));
    await receiver.until(() => wayOf(receiver, last.id).length > 0);
    for (const { id } of under) expect(wayOf(receiver, id)).toEqual(["opened", "closed"]);
    expect(wayOf(receiver, behind.id)).toEqual([]);
  });

  it("is asked no more for what it refuses, and others still arrive", async () => {
    const { receiver, board, logged } = await start();
    await receiver.until(() => receiver.arrived.length === 1);
    receiver.answer(400);
    const refused = board.open();
    await logged("the webhook refused a message");
    const next = board.open();
    await receiver.until(() => wayOf(receiver, next.id).length === 1);
    expect(wayOf(receiver, refused.id)).toEqual(["opened"]);
  });

  it("follows no redirect", async () => {
    const elsewhere = await startReceiver();
    const { receiver, board } = await start();
    await receiver.until(() => receiver.arrived.length === 1);
    receiver.answer(307);
    const question = board.open();
    await receiver.until(() => wayOf(receiver, question.id).length === 1);
    expect(elsewhere.arrived).toEqual([]);
  });

  it("may be away at the start; what is open then arrives when it comes", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const { board, surface } = await start({ receiver });
    const question = board.open();
    const signal = new AbortController();
    const connected = new Promise<void>((resolve) => surface.state.follow(resolve, signal.signal));
    expect(surface.state.connected).toBe(false);
    const back = await startReceiver(receiver.port);
    await connected;
    signal.abort();
    await back.until(() => wayOf(back, question.id).length === 1);
  });

  it("gives up telling an end after a while, and keeps nothing of it", async () => {
    const { receiver, board, logged } = await start({ endsAfterMs: 1 });
    await receiver.until(() => receiver.arrived.length === 1);
    const question = board.open();
    await receiver.until(() => wayOf(receiver, question.id).length === 1);
    receiver.otherwise(500);
    board.close(question.id, AnswerKind.DENY, "x");
    await logged("the webhook was not told how a question ended");
    receiver.otherwise(204);
    const next = board.open();
    await receiver.until(() => wayOf(receiver, next.id).length > 0);
  });

  it("learns what was closed while the queue was lost", async () => {
    const { receiver, board } = await start();
    const first = board.open();
    await receiver.until(() => wayOf(receiver, first.id).length === 1);
    board.cut();
    board.close(first.id, AnswerKind.DENY, "local on socket");
    await receiver.until(() => wayOf(receiver, first.id).includes("closed"));
  });
});
