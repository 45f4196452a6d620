import { mkdtempSync, chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { assertOwnFolder, defaultSocketPath } from "../../src/clients/client/default-socket-path.ts";
import { recordWords } from "../../src/clients/cli/record-words.ts";
import { formatDuration, parseDuration } from "../../src/clients/text/duration.ts";
import { palette } from "../../src/clients/text/palette.ts";
import { fields, table } from "../../src/clients/text/table.ts";
import { hasHidden, visible, visibleLines } from "../../src/clients/text/visible.ts";
import { effectWords, enumValue, enumWord, enumWords } from "../../src/clients/text/words.ts";
import { wrap } from "../../src/clients/text/wrap.ts";
import { create } from "@bufbuild/protobuf";
import { AuditRecordSchema } from "../../src/gen/sallyport/v1/audit_pb.ts";
import { EffectSchema, Mode, ModeSchema, RuleSourceSchema } from "../../src/gen/sallyport/v1/common_pb.ts";

const hostile = fc.string({ unit: "binary", maxLength: 200 });

describe("visible", () => {
  test.each([
    ["plain text, ÄÖ 漢字 😀", "plain text, ÄÖ 漢字 😀"],
    ["\u001b[2J", "\\u{1b}[2J"],
    ["a\nb\rc\td", "a\\nb\\rc\\td"],
    ["\u202egpj.exe\u2066", "\\u{202e}gpj.exe\\u{2066}"],
    ["rm\u00a0-rf\u3000/\u200b", "rm\\u{a0}-rf\\u{3000}/\\u{200b}"],
    ["\u{e0041}\u00ad\ufeff\u3164", "\\u{e0041}\\u{ad}\\u{feff}\\u{3164}"],
    ["rm\u2800-rf\u0378", "rm\\u{2800}-rf\\u{378}"],
    ["/\u0338 a\u20dd", "/\\u{338} a\\u{20dd}"],
    ["\ud800x", "\\u{d800}x"],
    ["e\u0301\u0301\u0301\u0301", "e\u0301\u0301\\u{301}\\u{301}"],
  ])("%j becomes %j", (text, shown) => expect(visible(text)).toBe(shown));

  test("leaves nothing that a terminal obeys, and changes nothing twice", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = visible(text);
        expect(shown).toBe(stripVTControlCharacters(shown));
        expect(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(shown)).toBe(false);
        expect(visible(shown)).toBe(shown);
        for (const line of visibleLines(text)) expect(line).toBe(visible(line));
      }),
    );
  });

  test("hasHidden ignores line ends and tabs only", () => {
    expect(hasHidden("a\n\tb")).toBe(false);
    expect(hasHidden("a\r\nb")).toBe(true);
    expect(hasHidden("a\u200bb")).toBe(true);
  });
});

describe("layout", () => {
  test("wrap keeps every character and no piece is too wide", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 60 }), (text, columns) => {
        const pieces = wrap(text, columns);
        expect(pieces.join("")).toBe(text);
        for (const piece of pieces) {
          const cells = Array.from(piece).reduce((sum, character) => sum + (character > "~" ? 2 : 1), 0);
          expect(cells).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });

  test("tables are aligned, without blanks at the end", () => {
    expect(
      table(
        [
          ["a", "10", "x"],
          ["bbb", "5", ""],
        ],
        [1],
      ),
    ).toEqual(["a    10  x", "bbb   5"]);
    expect(
      fields([
        ["one", "1"],
        ["empty", ""],
        ["three", "3"],
      ]),
    ).toEqual(["  one    1", "  three  3"]);
  });

  test("colour only on a terminal without NO_COLOR", () => {
    expect(palette({ isTTY: true }, {}).red("x")).toContain("\u001b[");
    for (const [stream, env] of [
      [{}, {}],
      [{ isTTY: true }, { NO_COLOR: "1" }],
      [{ isTTY: true }, { TERM: "dumb" }],
    ] as const)
      expect(palette(stream, env).red("x")).toBe("x");
  });
});

describe("words", () => {
  test.each([
    ["500ms", 500],
    ["1.5s", 1500],
    ["90", 90_000],
    ["5m", 300_000],
    ["24h", 86_400_000],
    ["25h", undefined],
    ["0", undefined],
    ["-1s", undefined],
    ["1e3", undefined],
    ["", undefined],
  ])("the duration %j is %j ms", (text, ms) => expect(parseDuration(text)).toBe(ms));

  test("durations for people", () => {
    expect([formatDuration(245_000), formatDuration(12_400), formatDuration(-5)]).toEqual(["4 min 5 s", "12 s", "0 s"]);
  });

  test("enum words go both ways, and UNSPECIFIED has none", () => {
    expect(enumWords(ModeSchema)).toEqual(["supervised", "ask", "autopilot", "allow-all"]);
    for (const word of enumWords(ModeSchema)) expect(enumWord(ModeSchema, enumValue(ModeSchema, word))).toBe(word);
    expect([enumValue(ModeSchema, "unspecified"), enumValue(ModeSchema, undefined)]).toEqual([
      Mode.UNSPECIFIED,
      Mode.UNSPECIFIED,
    ]);
    expect(enumWord(RuleSourceSchema, 99)).toBe("99");
  });

  test.each([
    [{ case: "write" as const, value: { path: "/real", spelled: "/link" } }, "write /real (written /link)"],
    [
      { case: "reach" as const, value: { host: "x.io", port: 443, method: "GET", url: "https://x.io/" } },
      "reach x.io:443 (GET https://x.io/)",
    ],
    [{ case: "reach" as const, value: { host: "*" } }, "reach *"],
    [{ case: "use" as const, value: { capability: "mcp", name: "a/b" } }, "use mcp a/b"],
    [{ case: "opaque" as const, value: { text: "$X", why: "dynamic" } }, "unseen: $X (dynamic)"],
    [{ case: undefined }, "an effect that this client does not know"],
  ])("%j reads %j", (kind, words) => expect(effectWords(create(EffectSchema, { kind }))).toBe(words));
});

describe("records", () => {
  test.each([
    [
      { verdict: "deny", intent: { kind: "exec", command: { kind: "argv", argv: ["rm", "-rf", "/"] } } },
      "deny  exec rm -rf /",
    ],
    [
      { verdict: "allow", intent: { kind: "exec", command: { kind: "shell", text: "ls | wc" } } },
      "allow  exec ls | wc",
    ],
    [{ verdict: "allow", intent: { kind: "read", path: "/a" } }, "allow  read /a"],
    [{ verdict: "deny", intent: { kind: "move", from: "/a", to: "/b" } }, "deny  move /a -> /b"],
    [{ verdict: "allow", intent: { kind: "fetch", url: "https://x.io/" } }, "allow  fetch https://x.io/"],
    [{ verdict: "deny", intent: { kind: "connect", host: "x.io", port: 443 } }, "deny  connect x.io:443"],
    [{ outcome: { kind: "done", facts: { code: 0, durationMs: 12 } } }, "done  code 0, durationMs 12"],
    [{ outcome: { kind: "failed", reason: "cancelled: gone" } }, "failed  cancelled: gone"],
    [{ answer: "allow", title: "Run x" }, "allow  Run x"],
    [{ note: 1 }, '{"note":1}'],
    [null, "null"],
  ])("%j reads %j", (body, words) => {
    expect(recordWords(create(AuditRecordSchema, { bodyJson: JSON.stringify(body) }))).toBe(words);
  });

  test("that are no JSON are given as they are", () => {
    expect(recordWords(create(AuditRecordSchema, { bodyJson: "{" }))).toBe("{");
  });
});

describe("the default socket", () => {
  test("is in the runtime folder, else in /run/user, else in /tmp", () => {
    expect(defaultSocketPath({ runtimeDirectory: "/run/x", uid: 1 })).toBe("/run/x/sallyport/sallyport.sock");
    // No user has this number, so no runtime folder either.
    const uid = 4_294_967_290;
    for (const runtimeDirectory of [undefined, "", "relative"])
      expect(defaultSocketPath({ runtimeDirectory, uid })).toBe(`/tmp/sallyport-${uid}/sallyport.sock`);
  });

  test("is refused in a folder that others could have made", () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const uid = process.getuid?.() ?? 0;
    const own = join(folder, "own");
    mkdirSync(own, { mode: 0o700 });
    symlinkSync(own, join(folder, "link"));
    expect(() => assertOwnFolder(join(own, "s.sock"), uid)).not.toThrow();
    expect(() => assertOwnFolder(join(folder, "missing", "s.sock"), uid)).not.toThrow();
    expect(() => assertOwnFolder(join(folder, "link", "s.sock"), uid)).toThrow("not trusted");
    expect(() => assertOwnFolder(join(own, "s.sock"), uid + 1)).toThrow("not trusted");
    chmodSync(own, 0o777);
    expect(() => assertOwnFolder(join(own, "s.sock"), uid)).toThrow("not trusted");
  });
});
