import { create } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerKind, QuestionSchema } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { buttonsFor } from "../../src/clients/telegram/buttons.ts";
import { questionText } from "../../src/clients/telegram/question-text.ts";
import { cutAt, longestText, richText } from "../../src/clients/telegram/rich-text.ts";
import { chat, start } from "./support/start.ts";
import { everyAnswer } from "./support/question-board.ts";

const hostile = [
  "<b>Allow this?</b> & <a href='https://evil.example'>x</a>",
  "*bold* _it_ `code` ```\npre\n``` [x](https://evil.example) ||hidden||",
  "https://evil.example/?a=b @everyone #tag /status t.me/evil tg://resolve?domain=evil +1 555 0100 a@b.example",
  "one\u{202e}two\u{200b}three\u{0}four\u{1b}[2Jfive",
  "Part 1 of 1\nAllow this?\nrun ls\nWho asks\nagent trusted",
];

describe("hostile text in Telegram", () => {
  it.each(hostile)("%j stands in code, where no client looks for anything", async (text) => {
    const { board, shown } = await start();
    board.open({ title: text, detail: `command\n| ${text}`, agent: text });
    const message = await shown("Allow this?", chat);
    const ours = new Set<number>();
    const coded = message.entities.filter(({ type }) => type === "pre" || type === "code");
    for (const { offset, length } of coded) for (let at = offset; at < offset + length; at += 1) ours.add(at);
    const outside = Array.from({ length: message.text.length }, (_, at) => at).filter((at) => !ours.has(at));
    const plain = outside.map((at) => message.text[at]).join("");
    for (const trace of ["evil", "@", "/", "<", "*", "#", "five", "trusted"]) expect(plain).not.toContain(trace);
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point
    expect(message.text).not.toMatch(/[\u{202e}\u{200b}\x00\x1b]/u);
  });

  it("is flagged where something in it could not be seen", async () => {
    const { board, shown } = await start();
    board.open({ title: "run a\u{202e}b" });
    expect((await shown("run a")).text).toContain("LOOK TWICE");
    board.open({ title: "run plain", suspicious: true });
    expect((await shown("run plain")).text).toContain("LOOK TWICE");
  });

  it("is shown whole over up to four messages, with the buttons under the last", async () => {
    const { board, shown, server, tap } = await start();
    const lines = Array.from({ length: 300 }, (_, at) => `| line ${at} ${"é😀".repeat(8)}`);
    board.open({ title: "run long", detail: lines.join("\n") });
    const last = await shown("Silence is a denial");
    const pages = server.messages.filter(({ id }) => id <= last.id);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.every(({ text }) => text.length <= longestText)).toBe(true);
    const whole = pages.map(({ text }) => text.replace(/^Part \d of \d\n/, "")).join("");
    for (const line of lines) expect(whole).toContain(line);
    expect(pages.slice(0, -1).every(({ buttons }) => buttons.length === 0)).toBe(true);
    expect((await tap(last, "Allow")).text).toBe("Done.");
  });

  it("comes as a file where it is longer, and can only be denied", async () => {
    const { board, shown, server, tap } = await start();
    const detail = `| ${"x".repeat(63)}\n`.repeat(1000);
    board.open({ title: "run longer", detail });
    const message = await shown("run longer");
    const [file] = server.messages;
    expect(file?.file?.name).toMatch(/^question-.*\.txt$/);
    expect(file?.file?.content).toContain(detail.trimEnd());
    expect(message.text).toMatch(/\d+ more characters are not shown here/);
    expect(message.buttons.map(({ text }) => text)).toEqual(["Deny", "More…"]);
    await tap(message, "More…");
    expect(message.buttons.map(({ text }) => text)).toEqual([
      "Always deny",
      "Always deny, in this workspace",
      "Deny with a message",
      "Back",
    ]);
    await tap(message, "Back");
    expect((await tap(message, "Deny")).text).toBe("Done.");
    expect(board.answered).toHaveLength(1);
  });

  it("has no buttons at all where the file could not be sent", async () => {
    const { board, server, log } = await start();
    server.fail("sendDocument", { code: 400 });
    board.open({ title: "run longer", detail: "y".repeat(60_000) });
    await server.until(() => log.some(({ message }) => message === "a message could not be shown in a chat"));
    expect(server.messages).toEqual([]);
  });

  it("is never cut within a character, nor shown with more than there is room for", () => {
    const texts = fc.string({ unit: "grapheme", maxLength: 9000 });
    const rule = fc.record({ capability: fc.string({ maxLength: 40 }), match: fc.string({ maxLength: 3000 }) });
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.array(rule, { maxLength: 6 }),
        fc.nat({ max: 30 }),
        (title, detail, drafts, times) => {
          const question = create(QuestionSchema, {
            id: "q",
            title: title.slice(0, 500).toWellFormed(),
            detail: detail.repeat(times),
            allowDrafts: drafts.map((draft) => ({ ...draft, effect: Verdict.ALLOW })),
            answers: [...everyAnswer],
            agent: "a",
          });
          const { pages, whole } = questionText(question);
          for (const page of pages) {
            const { text, entities } = richText(page);
            expect(text.length).toBeLessThanOrEqual(longestText);
            expect(text.isWellFormed()).toBe(true);
            expect(entities.every(({ offset, length }) => length > 0 && offset + length <= text.length)).toBe(true);
          }
          expect(pages.length).toBeLessThanOrEqual(whole === undefined ? 4 : 1);
          const kinds = buttonsFor(question, whole === undefined, "first")
            .flat()
            .map(({ label }) => label);
          expect(kinds.includes("Allow")).toBe(whole === undefined);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("is cut behind a line, and before half of a pair", () => {
    expect(cutAt("abc", 3)).toBe(3);
    expect(cutAt("aaaa\nbbbb", 7)).toBe(5);
    expect(cutAt("a\nbbbbbbbb", 7)).toBe(7);
    expect(cutAt("aaa😀", 4)).toBe(3);
  });

  it("offers nothing where nothing may be answered", () => {
    const question = create(QuestionSchema, { id: "q", answers: [AnswerKind.UNSPECIFIED, AnswerKind.EDIT_AND_ALLOW] });
    expect(buttonsFor(question, true, "first")).toEqual([]);
  });
});
