import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { show } from "../../src/approvals/show.ts";

describe("show", () => {
  it.each([
    ["a right-to-left override", "rm a\u202etxt.sh", String.raw`rm a\u{202e}txt.sh`],
    ["an isolate", "\u2066x\u2069", String.raw`\u{2066}x\u{2069}`],
    ["a zero-width space", "ls\u200b", String.raw`ls\u{200b}`],
    ["an escape sequence", "\u001b[2Kls", String.raw`\u{1b}[2Kls`],
    ["a C1 control", "\u009b2K", String.raw`\u{9b}2K`],
    ["a carriage return", "rm -rf ~\rls", String.raw`rm -rf ~\u{d}ls`],
    ["a no-break space", "ls\u00a0x", String.raw`ls\u{a0}x`],
    ["an empty braille cell", "\u2800", String.raw`\u{2800}`],
    ["a Hangul filler", "\u3164", String.raw`\u{3164}`],
    ["a line separator", "a\u2028b", String.raw`a\u{2028}b`],
    ["a tag character", "a\u{e0041}", String.raw`a\u{e0041}`],
    ["a variation selector", "a\ufe0f", String.raw`a\u{fe0f}`],
    ["a lone surrogate", "a\ud800", String.raw`a\u{d800}`],
    ["a private character", "\ue000", String.raw`\u{e000}`],
    ["a Cyrillic letter among Latin ones", "s\u0443do", String.raw`s\u{443}do`],
    ["a word that is all disguise", "\u0440\u0430\u0441", String.raw`\u{440}\u{430}\u{441}`],
    ["full width", "\uff52\uff4d", String.raw`\u{ff52}\u{ff4d}`],
    ["a ligature", "\ufb01le", String.raw`\u{fb01}le`],
    ["a mathematical letter", "\u{1d42b}m", String.raw`\u{1d42b}m`],
    ["a division slash", "a\u2215b", String.raw`a\u{2215}b`],
    ["a typographic quote", "\u201chi\u201d", String.raw`\u{201c}hi\u{201d}`],
    ["a Greek question mark", "a\u037e", String.raw`a\u{37e}`],
    ["an overlay", "a\u0338", String.raw`a\u{338}`],
    ["a mark without a letter", "/\u0301", String.raw`/\u{301}`],
    ["a heap of marks", "z\u0300\u0301\u0302", String.raw`z\u{300}\u{301}\u{302}`],
    ["letters that run from right to left", "a \u05d0\u05d1 b", String.raw`a \u{5d0}\u{5d1} b`],
  ])("makes visible %s", (_what, text, shown) => {
    expect(show(text)).toEqual({ text: shown, suspicious: true });
  });

  it.each(["rm -rf /tmp/x", "naïve café", "привет мир", "日本語のファイル", "Straße", "😀", "e\u0301", "αβγδε"])(
    "leaves %s",
    (text) => {
      expect(show(text)).toEqual({ text, suspicious: false });
    },
  );

  it("lets nothing pretend to have been made visible", () => {
    expect(show(String.raw`\u{202e}`).text).toBe(String.raw`\u{5c}u{202e}`);
  });

  it("keeps line feeds only where several lines are shown, and never a tab", () => {
    expect(show("a\n\tb", { lines: true })).toEqual({ text: "a\n\\u{9}b", suspicious: false });
    expect(show("a\nb")).toEqual({ text: String.raw`a\u{a}b`, suspicious: false });
  });

  it("gives different texts for different ones, and nothing but what can be seen", () => {
    const text = fc.string({ unit: "binary", maxLength: 40 });
    fc.assert(
      fc.property(text, (original) => {
        const shown = show(original).text;
        expect(shown).not.toMatch(/[\p{C}\u2028\u2029\u00a0]/u);
        const undone = shown.replaceAll(/\\u\{([0-9a-f]+)\}/g, (_all, code: string) =>
          String.fromCodePoint(Number.parseInt(code, 16)),
        );
        expect(undone).toBe(original);
      }),
      { numRuns: 2000 },
    );
  });
});
