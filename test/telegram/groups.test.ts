import { describe, expect, it } from "vitest";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { startBotApi } from "./support/bot-api-server.ts";
import { questionBoard } from "./support/question-board.ts";
import { admin, chat, start } from "./support/start.ts";

const usual = { group: "s1:exec" };

/** A board on which questions wait before the surface starts, so that they come together. */
function boardOf(count: number, change: object = {}) {
  const board = questionBoard(String(admin));
  const questions = Array.from({ length: count }, () => board.open({ ...usual, detail: "bash\n| make", ...change }));
  return { board, questions };
}

describe("questions of one group in Telegram", () => {
  it("stand in one message, whole, and one answer is for all of them", async () => {
    const { board, questions } = boardOf(4);
    const { shown, tap, server } = await start({ board });
    const list = await shown("Allow these 4?");
    for (const { title } of questions) expect(list.text).toContain(title);
    expect(list.buttons.map(({ text }) => text)).toEqual(["Allow all 4", "Deny all 4", "One by one"]);
    expect(server.messages).toHaveLength(1);
    expect(await tap(list, "Allow all 4")).toEqual({ text: "Done.", alert: false });
    const [first, ...rest] = questions.map(({ id }) => id);
    expect(board.answered).toMatchObject([
      { person: String(admin), request: { questionId: first, also: rest, answer: AnswerKind.ALLOW } },
    ]);
    await server.until(() => list.text.startsWith("All of these are answered.") && list.buttons.length === 0);
  });

  it("are denied together by a reply, with its words", async () => {
    const { board } = boardOf(3);
    const { shown, server } = await start({ board });
    const list = await shown("Allow these 3?");
    server.write(chat, "one at a time, please", admin, { reply_to_message: { message_id: list.id } });
    await server.until(() => list.text.startsWith("All of these are answered."));
    expect(board.answered).toMatchObject([
      { request: { answer: AnswerKind.DENY, message: "one at a time, please", also: ["question-2", "question-3"] } },
    ]);
  });

  it("are not denied by a command that was meant for one of them", async () => {
    const { board } = boardOf(3);
    const { shown, server } = await start({ board });
    const list = await shown("Allow these 3?");
    const written = server.write(chat, "/edit ls", admin, { reply_to_message: { message_id: list.id } });
    const told = await server.until(() => server.messages.find(({ replyTo }) => replyTo === written));
    expect(told.text).toContain("Press One by one first");
    expect(board.answered).toEqual([]);
  });

  it("leave the list as they end elsewhere, and an answer is for what is open", async () => {
    const { board, questions } = boardOf(4);
    const { shown, tap, server } = await start({ board });
    const list = await shown("Allow these 4?");
    const before = list.buttons[0]?.callback_data ?? "";
    board.close(questions[0]?.id ?? "", AnswerKind.DENY, "local on socket");
    await server.until(() => list.text.startsWith("Allow these 3?"));
    expect(list.text).toContain("1. deny: local on socket");
    expect(list.buttons[0]?.text).toBe("Allow all 3");
    const old = server.tap(chat, list.id, before, admin);
    expect((await server.until(() => server.notices.get(old))).text).toContain("no longer valid");
    await tap(list, "Deny all 3");
    expect(board.answered).toMatchObject([
      { request: { questionId: "question-2", also: ["question-3", "question-4"] } },
    ]);
  });

  it("are shown one by one where that is wanted", async () => {
    const { board } = boardOf(3);
    const { shown, tap, server } = await start({ board });
    const list = await shown("Allow these 3?");
    const all = list.buttons[0]?.callback_data ?? "";
    await tap(list, "One by one");
    await server.until(() => list.text.startsWith("Each is shown by itself below"));
    for (const at of [1, 2, 3]) expect((await shown(`run make ${at}`)).buttons[0]?.text).toBe("Allow");
    const old = server.tap(chat, list.id, all, admin);
    expect((await server.until(() => server.notices.get(old))).text).toContain("no longer valid");
    expect(board.answered).toEqual([]);
    const single = await shown("run make 2");
    await tap(single, "Allow");
    expect(board.answered).toMatchObject([{ request: { questionId: "question-2", also: [] } }]);
  });

  it("take no answer of a bystander, and none for a question that came later", async () => {
    const { board } = boardOf(3);
    const { shown, tap } = await start({ board });
    const list = await shown("Allow these 3?");
    expect((await tap(list, "Allow all 3", 666)).text).toContain("Only an admin answers");
    board.open({ ...usual, title: "run later" });
    await shown("run later");
    await tap(list, "Allow all 3");
    expect(board.answered).toMatchObject([{ request: { also: ["question-2", "question-3"] } }]);
    expect(await board.list()).toMatchObject([{ title: "run later" }]);
  });

  it.each([
    ["hidden characters", { suspicious: true }],
    ["long texts", { detail: `bash\n| ${"x".repeat(700)}` }],
    ["nothing that allows", { answers: [AnswerKind.DENY] }],
    ["no group", { group: "" }],
  ])("are none with %s: each has a message of its own", async (_what, change) => {
    const { board } = boardOf(3, change);
    const { shown } = await start({ board });
    for (const at of [1, 2, 3])
      expect((await shown(`run make ${at}`)).buttons.map(({ text }) => text)).not.toContain("One by one");
  });

  it("take as many messages as show all of them whole", async () => {
    const { board } = boardOf(30, { detail: `bash\n| ${"y".repeat(500)}` });
    const { server } = await start({ board });
    const listed = (): number[] =>
      server.messages.flatMap(({ text }) =>
        text.startsWith("Allow these") ? [text.match(/^\d+\.$/gm)?.length ?? 0] : [],
      );
    await server.until(() => listed().reduce((sum, count) => sum + count, 0) >= 28);
    expect(server.messages.every(({ text }) => text.length <= 4096)).toBe(true);
    expect(server.messages.length).toBeLessThan(15);
  });

  it("come again by themselves where Telegram refuses the list", async () => {
    const { board } = boardOf(3);
    const server = await startBotApi();
    server.fail("sendMessage", { code: 400 });
    const { shown } = await start({ board, server });
    for (const at of [1, 2, 3]) expect((await shown(`run make ${at}`)).buttons[0]?.text).toBe("Allow");
  });
});
