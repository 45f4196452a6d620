import { describe, expect, it } from "vitest";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { admin, chat, start, type Started } from "./support/start.ts";

const bystander = 666;

/** Replies to a message; returns what the bot says to the reply. */
async function reply({ server }: Started, to: number, text: string, from = admin) {
  const written = server.write(chat, text, from, { reply_to_message: { message_id: to } });
  return server.until(() => server.messages.find(({ replyTo }) => replyTo === written));
}

describe("a command that is edited in Telegram", () => {
  it("is shown as what it would do before it is allowed, and is allowed by a button alone", async () => {
    const started = await start();
    const { board, shown, tap, server } = started;
    const question = board.open();
    const message = await shown("run make 1");
    await tap(message, "More…");
    expect((await tap(message, "Edit and allow")).alert).toBe(false);
    const copy = await server.until(() => server.messages.find(({ replyTo }) => replyTo === message.id));
    const command = copy.entities.find(({ type }) => type === "pre");
    expect(copy.text.slice(command?.offset, (command?.offset ?? 0) + (command?.length ?? 0))).toBe("make 1");
    const look = await reply(started, copy.id, "make -n 1");
    expect(look.text).toContain("run make -n 1");
    expect(look.text).toContain("| make -n 1\nfolder\n| /work");
    expect(look.buttons.map(({ text }) => text)).toEqual(["Allow this", "Not this"]);
    expect([board.tried, board.answered]).toEqual([[{ edited: "make -n 1", person: String(admin) }], []]);
    expect((await tap(look, "Allow this")).text).toBe("Done.");
    expect(board.answered).toMatchObject([
      {
        request: {
          questionId: question.id,
          answer: AnswerKind.EDIT_AND_ALLOW,
          edited: "make -n 1",
          plan: "plan of make -n 1",
        },
      },
    ]);
    for (const one of [message, copy, look])
      await server.until(() => one.text.startsWith("edit-and-allow: person-7") && one.buttons.length === 0);
  });

  it("may stand in a reply to the question behind /edit", async () => {
    const started = await start();
    const { board, shown, tap } = started;
    board.open();
    const message = await shown("run make 1");
    const look = await reply(started, message.id, "/edit@sallyport_test_bot make -n\nmake");
    expect(look.text).toContain("| make -n\nmake");
    expect((await tap(look, "Allow this")).text).toBe("Done.");
    expect(board.answered).toMatchObject([{ request: { edited: "make -n\nmake" } }]);
  });

  it("is taken back, and the question stays", async () => {
    const started = await start();
    const { board, shown, tap, server } = started;
    board.open();
    const message = await shown("run make 1");
    const look = await reply(started, message.id, "/edit ls");
    const allow = look.buttons[0]?.callback_data ?? "";
    await tap(look, "Not this");
    expect(look.text).toContain("Not used");
    const id = server.tap(chat, look.id, allow, admin);
    expect((await server.until(() => server.notices.get(id))).text).toContain("no longer valid");
    expect(board.answered).toEqual([]);
    expect((await tap(message, "Deny")).text).toBe("Done.");
  });

  it("that may not run says why and leaves the question open", async () => {
    const started = await start();
    const { board, shown } = started;
    board.open();
    const message = await shown("run make 1");
    const told = await reply(started, message.id, "/edit sudo \u202ehttp://evil.example/ @everybody\u2800");
    const reason = String.raw`run sudo \u{202e}http://evil.example/ @everybody\u{2800}: nothing lifts it`;
    expect(told.text).toBe(`Nothing was done:\n${reason}`);
    // It repeats what was typed: no client makes links or names of it.
    expect(told.entities).toEqual([{ type: "pre", offset: "Nothing was done:\n".length, length: reason.length }]);
    expect(told.buttons).toEqual([]);
    const long = await reply(started, message.id, `/edit echo ${"x".repeat(3900)}`);
    expect(long.text).toContain("too long to be shown here");
    expect([board.answered, message.buttons.length]).toEqual([[], 4]);
  });

  it("is nothing for a bystander, a forwarded text, or a question that cannot be edited", async () => {
    const started = await start();
    const { board, shown, server, tap } = started;
    board.open();
    const message = await shown("run make 1");
    const look = await reply(started, message.id, "/edit ls");
    await tap(message, "More…");
    await tap(message, "Edit and allow");
    const copy = await server.until(() => server.messages.find(({ text }) => text.startsWith("Reply to this message")));
    for (const to of [message.id, copy.id, look.id]) {
      server.write(chat, "/edit rm -r .", bystander, { reply_to_message: { message_id: to } });
      server.write(chat, "/edit rm -r .", admin, {
        reply_to_message: { message_id: to },
        forward_origin: { type: "user" },
      });
    }
    expect((await tap(look, "Allow this", bystander)).text).toContain("Only an admin answers");
    expect((await tap(message, "Edit and allow", bystander)).text).toContain("Only an admin answers");
    expect(board.tried).toHaveLength(1);
    expect(board.answered).toEqual([]);
    board.open({ answers: [AnswerKind.ALLOW, AnswerKind.DENY], editable: "" });
    const plain = await shown("run make 2");
    expect((await reply(started, plain.id, "/edit ls")).text).toContain("cannot be edited");
    await tap(plain, "More…");
    expect(plain.buttons.map(({ text }) => text)).not.toContain("Edit and allow");
  });

  it("counts for nobody who lost the role after it was shown", async () => {
    const started = await start();
    const { board, shown, tap } = started;
    board.open();
    const message = await shown("run make 1");
    const look = await reply(started, message.id, "/edit ls");
    board.admins.delete(String(admin));
    expect((await tap(look, "Allow this")).text).toContain("Only an admin answers");
    expect(board.answered).toEqual([]);
  });

  it("makes the hidden visible before it is allowed", async () => {
    const started = await start();
    const { board, shown } = started;
    board.open();
    const message = await shown("run make 1");
    const look = await reply(started, message.id, "/edit echo \u202ecod\u202c");
    expect(look.text).toContain("LOOK TWICE");
    expect(look.text).toContain(String.raw`echo \u{202e}cod\u{202c}`);
  });
});
