import { describe, expect, it } from "vitest";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { startBotApi } from "./support/bot-api-server.ts";
import { admin, chat, start, type Started } from "./support/start.ts";

/** Resolves once the state is as wanted. */
function becomes({ surface: { state } }: Started, connected: boolean): Promise<void> {
  return new Promise((resolve) => {
    const seen = new AbortController();
    const look = (): void => {
      if (state.connected !== connected) return;
      seen.abort();
      resolve();
    };
    state.follow(look, seen.signal);
    look();
  });
}

describe("Telegram that is away", () => {
  it("holds nothing up, and is told of what is open when it is back", async () => {
    const gone = await startBotApi();
    const port = Number(new URL(gone.root).port);
    await gone.close();
    const started = await start({ server: gone });
    started.board.open();
    expect(started.surface.state).toMatchObject({ connected: false });
    const back = await startBotApi(port);
    await becomes(started, true);
    const message = await back.until(() => back.messages.find(({ buttons }) => buttons.length > 0));
    back.tap(chat, message.id, message.buttons[0]?.callback_data ?? "", admin);
    await back.until(() => message.text.startsWith("allow: person-7"));
  });

  it.each([
    ["a cut connection", { code: 0, how: "drop" }],
    ["an answer that is no JSON", { code: 200, how: "garbage" }],
    ["a server error", { code: 502 }],
    ["too many calls", { code: 429, retryAfter: 1 }],
    ["an unknown token", { code: 401 }],
    ["a second poller", { code: 409 }],
  ] as const)("is asked again after %s, while polling and while sending", async (_what, fault) => {
    const started = await start();
    const { server, board, shown, tap } = started;
    await becomes(started, true);
    server.fail("sendMessage", fault, fault);
    server.fail("getUpdates", fault, fault);
    server.write(chat, "something ends the wait", admin);
    board.open();
    const message = await shown("run make 1");
    expect((await tap(message, "Allow")).text).toBe("Done.");
    await becomes(started, true);
    expect(server.messages).toHaveLength(1);
  });

  it("says that another program takes the updates", async () => {
    const started = await start();
    const { server } = started;
    await becomes(started, true);
    server.fail("getUpdates", ...Array.from({ length: 30 }, () => ({ code: 409 })));
    server.write(chat, "something ends the wait", admin);
    await becomes(started, false);
    expect(started.surface.state.reason).toContain("another program takes the updates");
    await becomes(started, true);
  });

  it("gives every update once, also where it hands them out again", async () => {
    const { server, board, shown } = await start();
    board.open();
    const message = await shown("run make 1");
    const id = server.tap(chat, message.id, message.buttons[0]?.callback_data ?? "", admin);
    await server.until(() => server.notices.get(id));
    server.replay(0);
    const other = server.write(chat, "/status", admin);
    await server.until(() => server.messages.find(({ replyTo }) => replyTo === other));
    expect(server.calls.filter(({ method }) => method === "answerCallbackQuery")).toHaveLength(1);
    expect(board.answered).toHaveLength(1);
  });

  it("may lose the answer to a message: it is sent again, and only the last one's buttons count", async () => {
    const { server, board, shown, tap } = await start();
    server.fail("sendMessage", { code: 0, how: "late" });
    board.open();
    await server.until(() => server.messages.length === 2);
    const [lost, kept] = server.messages;
    if (lost === undefined || kept === undefined) throw new Error("no messages");
    const stale = server.tap(chat, lost.id, lost.buttons[0]?.callback_data ?? "", admin);
    expect((await server.until(() => server.notices.get(stale))).text).toContain("no longer valid");
    expect(board.answered).toEqual([]);
    await shown("run make 1");
    expect((await tap(kept, "Allow")).text).toBe("Done.");
  });

  it("may refuse one message, and gets the next", async () => {
    const { server, board, shown, log } = await start();
    server.fail("sendMessage", { code: 400 });
    board.open();
    await server.until(() => log.some(({ message }) => message === "a message could not be shown in a chat"));
    board.open();
    await shown("run make 2");
    expect(server.messages).toHaveLength(1);
  });

  it("is sent nothing of what is over before it could be shown, and twenty questions at a time", async () => {
    const { server, board } = await start();
    const questions = Array.from({ length: 30 }, () => board.open());
    await server.until(() => server.messages.length === 20);
    for (const question of questions.slice(20, 29)) board.close(question.id, AnswerKind.DENY, "the deadline");
    board.close(questions[0]?.id ?? "", AnswerKind.DENY, "the deadline");
    const last = await server.until(() => server.messages[20]);
    expect(last.text).toContain("run make 30");
    expect(server.messages).toHaveLength(21);
  });

  it("learns what was closed while the queue was lost", async () => {
    const { server, board, shown } = await start();
    const question = board.open();
    const message = await shown("run make 1");
    board.cut();
    board.close(question.id, AnswerKind.DENY, "local on socket");
    await server.until(() => message.buttons.length === 0);
  });

  it("is told goodbye, and holds a stop up for no longer than that", async () => {
    const { server, board, shown, surface } = await start();
    board.open();
    const message = await shown("run make 1");
    await surface.stop();
    expect(message.text).toMatch(/^Sallyport stopped/);
    expect(message.buttons).toEqual([]);
    expect(server.messages).toHaveLength(1);
  });

  it("answers with things that are no updates, and nothing comes of it", async () => {
    const { server, board, shown } = await start();
    board.open();
    const message = await shown("run make 1");
    const data = message.buttons[0]?.callback_data;
    const from = { id: admin, is_bot: false };
    const strange = [
      {},
      { callback_query: null },
      { callback_query: { id: "x", from, data } },
      { callback_query: { id: "x", from, data, message: { message_id: String(message.id), chat: { id: chat } } } },
      {
        callback_query: { id: "x", from: { id: admin }, data, message: { message_id: message.id, chat: { id: chat } } },
      },
      { callback_query: { id: 7, from, data, message: { message_id: message.id, chat: { id: chat } } } },
      { callback_query: { id: "x", from, data: 3, message: { message_id: message.id, chat: { id: chat } } } },
      { callback_query: { id: "x", from, data, inline_message_id: "1" } },
      {
        message: {
          text: "no",
          from,
          chat: { id: chat },
          message_id: 1.5,
          reply_to_message: { message_id: message.id },
        },
      },
      {
        edited_message: {
          text: "no",
          from,
          chat: { id: chat },
          message_id: 1,
          reply_to_message: { message_id: message.id },
        },
      },
      { message: [] },
      { update_id: "7", message: {} },
      { update_id: -1, message: {} },
      { __proto__: { callback_query: { id: "x" } } },
    ];
    for (const update of strange) server.push(update);
    const asked = server.write(chat, "/status", admin);
    await server.until(() => server.messages.find(({ replyTo }) => replyTo === asked));
    expect(board.answered).toEqual([]);
    expect(server.notices.size).toBe(0);
  });
});
