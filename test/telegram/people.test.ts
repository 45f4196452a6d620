import { describe, expect, it } from "vitest";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { questionBoard } from "./support/question-board.ts";
import { admin, chat, start } from "./support/start.ts";

const bystander = 666;

/** Writes `/status` as the admin, so that everything before it was looked at once the reply is there. */
async function settled({ server }: Pick<Awaited<ReturnType<typeof start>>, "server">, where = chat): Promise<void> {
  const written = server.write(where, "/status", admin);
  await server.until(() => server.messages.find(({ replyTo }) => replyTo === written));
}

describe("who may answer in Telegram", () => {
  it("is no bystander: his tap is refused with a notice, and the question stays", async () => {
    const { board, shown, tap, log } = await start();
    board.open();
    const message = await shown("run make 1");
    expect(await tap(message, "Allow", bystander)).toEqual({
      text: "Only an admin answers. The question stays open.",
      alert: true,
    });
    expect(board.answered).toEqual([]);
    expect(message.buttons).toHaveLength(4);
    expect(log).toContainEqual(expect.objectContaining({ level: "warn", facts: { user: bystander, chat } }));
    expect((await tap(message, "Deny")).text).toBe("Done.");
  });

  it("is nobody whose role was taken away while the question waited", async () => {
    const { board, shown, tap } = await start();
    board.open();
    const message = await shown("run make 1");
    board.admins.delete(String(admin));
    expect((await tap(message, "Allow")).text).toContain("Only an admin answers");
    board.admins.add(String(admin));
    expect((await tap(message, "Allow")).text).toBe("Done.");
  });

  it("is nobody in a chat that the settings no longer name", async () => {
    const { board, shown, tap, chats } = await start();
    board.open();
    const message = await shown("run make 1");
    chats.length = 0;
    expect((await tap(message, "Allow")).text).toContain("not answered in this chat");
    expect(board.answered).toEqual([]);
  });

  it("cannot use a button under another message, in another chat, or of another question", async () => {
    const { board, shown, server } = await start({ chats: [chat, 7] });
    board.open();
    board.open();
    const [first, second] = [await shown("run make 1"), await shown("run make 2")];
    const elsewhere = await shown("run make 1", 7);
    const data = first.buttons[0]?.callback_data ?? "";
    for (const [where, message] of [
      [chat, second.id],
      [7, elsewhere.id],
      [7, first.id],
      [chat, 9999],
    ] as const) {
      const id = server.tap(where, message, data, admin);
      expect((await server.until(() => server.notices.get(id))).text).toContain("no longer valid");
    }
    const guessed = server.tap(chat, first.id, "AAAAAAAAAAAAAAAAAAAAAA", admin);
    expect((await server.until(() => server.notices.get(guessed))).text).toContain("no longer valid");
    expect(board.answered).toEqual([]);
    const all = server.messages.flatMap(({ buttons }) => buttons.map(({ callback_data: one }) => one));
    expect(new Set(all).size).toBe(all.length);
    expect(all.every((one) => /^[\w-]{22}$/.test(one))).toBe(true);
  });

  it.each([
    ["a bystander", { from: bystander }],
    ["a bot", { from: admin, extra: { from: { id: admin, is_bot: true } } }],
    ["an anonymous admin", { from: admin, extra: { sender_chat: { id: chat } } }],
    ["somebody whose words were forwarded", { from: admin, extra: { forward_origin: { type: "user" } } }],
    ["a bot that he used", { from: admin, extra: { via_bot: { id: 9 } } }],
  ])("is not %s by a reply", async (_who, { from, extra }: { from: number; extra?: object }) => {
    const started = await start();
    const { board, shown, server } = started;
    board.open();
    const message = await shown("run make 1");
    server.write(chat, "no", from, { reply_to_message: { message_id: message.id }, ...extra });
    await settled(started);
    expect(board.answered).toEqual([]);
  });

  it("answers once where two admins tap at the same instant, in two chats", async () => {
    const board = questionBoard("7", "8");
    const { shown, tap } = await start({ board, chats: [chat, 7] });
    for (let round = 1; round <= 25; round += 1) {
      board.open();
      const [one, two] = [await shown(`run make ${round}`), await shown(`run make ${round}`, 7)];
      const notices = await Promise.all([tap(one, "Allow", 7), tap(two, "Deny", 8), tap(one, "Always allow", 8)]);
      expect(notices.filter(({ text }) => text === "Done.")).toHaveLength(1);
      expect(board.answered).toHaveLength(round);
    }
  });

  it("is told what waits by commands, and nobody else is", async () => {
    const started = await start();
    const { board, server, shown } = started;
    const first = server.write(chat, "/pending", admin);
    await server.until(() =>
      server.messages.find(({ replyTo, text }) => replyTo === first && text.startsWith("No question")),
    );
    for (let count = 0; count < 60; count += 1) board.open({ title: `run ${"x".repeat(180)} ${count}` });
    await shown("run x");
    server.write(chat, "/pending", bystander);
    server.write(-5, "/pending", admin);
    server.write(chat, "/pending@another_bot", admin);
    server.write(chat, "/pendinge", admin);
    const asked = server.write(chat, "/pending@Sallyport_Test_bot", admin);
    const list = await server.until(() => server.messages.find(({ replyTo }) => replyTo === asked));
    expect(list.text).toMatch(/and \d+ more$/);
    expect(list.text.length).toBeLessThanOrEqual(4096);
    const status = server.write(chat, "/status", admin);
    const said = await server.until(() => server.messages.find(({ replyTo }) => replyTo === status));
    expect(said.text).toContain("60 questions are open");
    const replies = server.messages.filter(({ replyTo }) => replyTo !== undefined);
    expect(replies).toHaveLength(3);
  });

  it("sees no answer count that was given before the start", async () => {
    const { server, board, shown } = await start();
    const long = Math.floor(Date.now() / 1000) - 600;
    board.open();
    const message = await shown("run make 1");
    server.write(chat, "/status", admin, { date: long });
    const stale = server.tap(chat, 4, "from-before", admin, {
      message: { message_id: 4, chat: { id: chat }, date: long },
    });
    expect((await server.until(() => server.notices.get(stale))).text).toContain("no longer valid");
    // Buttons of a message from before the start are taken away.
    await server.until(() =>
      server.calls.find(({ method, payload }) => method === "editMessageReplyMarkup" && payload["message_id"] === 4),
    );
    expect(message.buttons).toHaveLength(4);
    expect(server.messages.filter(({ replyTo }) => replyTo !== undefined)).toEqual([]);
  });

  it("is asked nothing that may not be answered here", async () => {
    const started = await start();
    const { board, shown, server } = started;
    board.open({ answers: [AnswerKind.ALLOW] });
    const message = await shown("run make 1");
    const written = server.write(chat, "no", admin, { reply_to_message: { message_id: message.id } });
    const told = await server.until(() => server.messages.find(({ replyTo }) => replyTo === written));
    expect(told.text).toContain("cannot be denied here");
    expect(board.answered).toEqual([]);
  });
});
