import { describe, expect, it } from "vitest";
import { AnswerKind, RulesFile } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { SallyportError } from "../../src/clients/client/sallyport-error.ts";
import { admin, chat, start } from "./support/start.ts";

describe("a question in Telegram", () => {
  it("is not answered for more requests than were told of", async () => {
    const { board, shown, tap } = await start();
    const { id } = board.open();
    const message = await shown("run make 1");
    board.open({ id, title: "run make 1", waiting: 3 });
    const why = "3 requests wait for this answer by now: look again";
    board.failWith(new SallyportError("failed_precondition", why, { field: "waiting" }));
    expect(await tap(message, "Allow")).toEqual({ text: `Not counted: ${why}`, alert: true });
    expect((await tap(message, "Allow")).text).toBe("Done.");
    expect(board.answered).toMatchObject([{ request: { questionId: id, waiting: 3 } }]);
  });

  it("is shown with its buttons, and the answer counts once", async () => {
    const { board, shown, tap, server } = await start();
    const question = board.open({ title: "run rm -r build" });
    const message = await shown("run rm -r build");
    expect(message.buttons.map(({ text }) => text)).toEqual(["Allow", "Always allow", "Deny", "More…"]);
    expect(message.text).toContain('allow shell "make *"\nto /home/u/permissions.yaml or /home/u/workspaces');
    const [allow] = message.buttons;
    expect(await tap(message, "Allow")).toEqual({ text: "Done.", alert: false });
    expect(board.answered).toMatchObject([
      { person: "7", request: { questionId: question.id, answer: AnswerKind.ALLOW } },
    ]);
    await server.until(() => message.text.startsWith("allow: person-7") && message.buttons.length === 0);
    const again = server.tap(chat, message.id, allow?.callback_data ?? "", admin);
    const notice = await server.until(() => server.notices.get(again));
    expect(notice).toEqual({ text: "This button is no longer valid. Nothing was answered.", alert: true });
    expect(board.answered).toHaveLength(1);
  });

  it.each([
    ["Always allow", false, AnswerKind.ALWAYS_ALLOW, RulesFile.USER, 0],
    ["Deny", false, AnswerKind.DENY, RulesFile.UNSPECIFIED, 0],
    ["For this session", true, AnswerKind.ALLOW_SESSION, RulesFile.UNSPECIFIED, 0],
    ["For 15 minutes", true, AnswerKind.ALLOW_FOR, RulesFile.UNSPECIFIED, 900],
    ["Always deny", true, AnswerKind.ALWAYS_DENY, RulesFile.USER, 0],
    ["Always allow, in this workspace", true, AnswerKind.ALWAYS_ALLOW, RulesFile.WORKSPACE, 0],
    ["Always deny, in this workspace", true, AnswerKind.ALWAYS_DENY, RulesFile.WORKSPACE, 0],
  ] as const)("is answered with %s", async (label, more, answer, file, forSeconds) => {
    const { board, shown, tap } = await start();
    board.open();
    const message = await shown("run make 1");
    const [first] = message.buttons;
    if (more) await tap(message, "More…");
    expect(message.buttons.includes(first ?? { text: "", callback_data: "" })).toBe(!more);
    expect((await tap(message, label)).text).toBe("Done.");
    expect(board.answered).toMatchObject([{ request: { answer, file, forSeconds, message: "" } }]);
  });

  it("offers only what may be answered", async () => {
    const { board, shown, tap } = await start();
    board.open({ answers: [AnswerKind.DENY, AnswerKind.ALLOW], places: [] });
    const message = await shown("run make 1");
    expect(message.buttons.map(({ text }) => text)).toEqual(["Allow", "Deny", "More…"]);
    await tap(message, "More…");
    expect(message.buttons.map(({ text }) => text)).toEqual(["Deny with a message", "Back"]);
    await tap(message, "Back");
    expect(message.buttons.map(({ text }) => text)).toEqual(["Allow", "Deny", "More…"]);
  });

  it("makes buttons of a menu worthless once another one is shown", async () => {
    const { board, shown, tap, server } = await start();
    board.open();
    const message = await shown("run make 1");
    const old = message.buttons[0]?.callback_data ?? "";
    await tap(message, "More…");
    const id = server.tap(chat, message.id, old, admin);
    expect((await server.until(() => server.notices.get(id))).text).toContain("no longer valid");
    expect(board.answered).toEqual([]);
  });

  it("is denied by a reply, and the agent is told the words", async () => {
    const { board, shown, server } = await start();
    board.open();
    const message = await shown("run make 1");
    server.write(chat, "use the other folder", admin, { reply_to_message: { message_id: message.id } });
    await server.until(() => message.text.startsWith("deny: "));
    expect(board.answered).toMatchObject([{ request: { answer: AnswerKind.DENY, message: "use the other folder" } }]);
  });

  it("stays open where a reply is too long, and says so", async () => {
    const { board, shown, server } = await start();
    board.open();
    const message = await shown("run make 1");
    const written = server.write(chat, "ä".repeat(600), admin, { reply_to_message: { message_id: message.id } });
    const told = await server.until(() => server.messages.find(({ replyTo }) => replyTo === written));
    expect(told.text).toContain("more than 1024 bytes");
    expect(board.answered).toEqual([]);
  });

  it("says why an answer did not count, and can be answered then", async () => {
    const { board, shown, tap } = await start();
    board.failWith(new SallyportError("unavailable", "the rule could not be written"));
    board.open();
    const message = await shown("run make 1");
    expect(await tap(message, "Always allow")).toEqual({
      text: "Not counted: the rule could not be written",
      alert: true,
    });
    expect((await tap(message, "Deny")).text).toBe("Done.");
    expect(board.answered).toHaveLength(1);
  });

  it.each([
    [AnswerKind.ALLOW_SESSION, "local on socket", "allow-session: local on socket"],
    [AnswerKind.DENY, "the deadline", "deny: the deadline"],
    [AnswerKind.UNSPECIFIED, "withdrawn: the caller went away", "withdrawn: the caller went away"],
  ])("says how it ended elsewhere (%s)", async (answer, by, words) => {
    const { board, shown, server } = await start();
    const question = board.open();
    const message = await shown("run make 1");
    board.close(question.id, answer, by);
    await server.until(() => message.text.startsWith(words) && message.buttons.length === 0);
    expect(message.text).toContain("run make 1");
  });
});
