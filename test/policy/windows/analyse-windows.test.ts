import { describe, expect, test } from "vitest";
import { analyseWindows } from "../../../src/policy/windows/analyse-windows.ts";
import { windowsEntries } from "../../../src/policy/windows/windows-entries.ts";
import type { ShellAnalysis } from "../../../src/policy/shell/shell-analysis.ts";
import { lines, rows, type Row } from "../programs/corpus.ts";
import { fakeFacts, path } from "../world.ts";

const world = { home: "C:\\Users\\u", cwd: path("/work"), facts: fakeFacts() };

function analyse({ cmd, shell }: Pick<Row, "cmd" | "shell">): ShellAnalysis {
  if (shell === "bash") throw new Error("not a row for Windows' shells");
  return analyseWindows(cmd, shell, world);
}

const windows = (name: string): readonly Row[] => rows(name).filter(({ shell }) => shell !== "bash");
const wanted = (expected: string) =>
  [...windows("undecidable"), ...windows("readonly_traps"), ...windows("found-programs")].filter(
    (row) => row.expected === expected,
  );

describe("PowerShell and cmd", () => {
  test.each([...windows("blocked"), ...wanted("block")])("$id is blocked: $cmd", (row) => {
    const { blocked } = analyse(row);
    expect(
      blocked.map(({ rule }) => rule.id).filter((id) => id.startsWith("blocklist.windows-")).length,
    ).toBeGreaterThan(0);
    expect(
      blocked.every(({ rule }) => rule.source === "hardcoded" && rule.effect === "deny" && rule.because !== undefined),
    ).toBe(true);
  });

  test.each(windows("not_blocked"))("$id is not blocked: $cmd", (row) => {
    expect(analyse(row).blocked).toEqual([]);
  });

  test.each(lines(new URL("look-alikes.jsonl", import.meta.url)))("is not blocked: $cmd", (row) => {
    expect(analyse(row).blocked).toEqual([]);
  });

  test.each(wanted("ask"))("$id asks: $cmd", (row) => {
    const { blocked, effects } = analyse(row);
    expect(blocked).toEqual([]);
    expect(effects.length).toBeGreaterThan(0);
    expect(effects.some((effect) => effect.kind === "run" && effect.readOnly === true)).toBe(false);
  });

  test.each(windows("undecidable").filter(({ kind }) => kind !== "opaque"))(
    "$id never passes by a rule for the program: $cmd",
    (row) => {
      const { blocked, effects } = analyse(row);
      expect(
        blocked.length > 0 || effects.some((effect) => effect.kind === "opaque" && effect.cause !== "program"),
      ).toBe(true);
    },
  );

  test("lets rules see commands of plain words", () => {
    const runs = (text: string, shell: "powershell" | "cmd") =>
      analyseWindows(text, shell, world).effects.filter(({ kind }) => kind === "run" || kind === "opaque");
    expect(runs("git status", "powershell")).toEqual([
      { kind: "run", program: "git", argv: ["git", "status"], text: "git status" },
    ]);
    expect(runs("git log & git status", "cmd").map((effect) => effect.kind)).toEqual(["run", "run"]);
  });

  test("names the cmdlet behind an alias, in any case, so that a rule for it holds", () => {
    const [effect] = analyseWindows("RI x", "powershell", world).effects;
    expect(effect).toEqual({
      kind: "run",
      program: "remove-item",
      argv: ["RI", "x"],
      text: "RI x",
      aliases: ["remove-item x", "Remove-Item x"],
    });
    expect(analyseWindows("ERASE x", "cmd", world).effects[0]).toMatchObject({ aliases: ["erase x", "del x"] });
  });

  test.each([
    "cat $x",
    "cat 'x",
    "cat x)",
    "& cat x",
    "cat x &",
    "cat x -ov y",
    "cat x -nope",
    "Set-Alias a b",
    "New-Thing C:\\x",
    "caf\u00e9 x",
    "$x = 'y'",
    "if (1) { cat x }",
    "cat HKLM:\\x",
    "cat \\\\.\\C:",
  ])("does not see through: %s", (text) => {
    expect(analyseWindows(text, "powershell", world).effects.some((effect) => effect.kind === "opaque")).toBe(true);
  });

  test("checks the examples of its own entries", () => {
    for (const { id, hits, misses } of windowsEntries) {
      const ids = (example: (typeof hits)[number]) =>
        example.shell === "bash"
          ? []
          : analyseWindows(example.text, example.shell, world).blocked.map(({ rule }) => rule.id);
      for (const example of hits) expect([example.text, ids(example)]).toEqual([example.text, [`blocklist.${id}`]]);
      for (const example of misses) expect([example.text, ids(example)]).toEqual([example.text, []]);
    }
  });

  test("bounds nesting and length", () => {
    const deep = analyseWindows(`${"$(".repeat(5000)}sudo id`, "powershell", world);
    expect(deep.effects.some((effect) => effect.kind === "opaque" && effect.cause === "unread")).toBe(true);
    const long = analyseWindows(`cat ${"x ".repeat(40_000)}; sudo id`, "powershell", world);
    expect(long.effects.some((effect) => effect.kind === "opaque" && effect.cause === "limit")).toBe(true);
    expect(long.blocked.map(({ rule }) => rule.id)).toEqual(["blocklist.windows-elevation"]);
  });

  test.each([
    ["powershell", `${"$(".repeat(5000)}sudo id`],
    ["powershell", `${"iex ".repeat(3000)}'sudo id'; sudo id`],
    ["powershell", `${"powershell -c ".repeat(300)}sudo id`],
    ["powershell", `${"1,2,3|%{".repeat(20)}ri C:\\ -r${"}".repeat(20)}`],
    ["powershell", `function f{ri $args -r};${"f x;".repeat(4000)};f C:\\`],
    ["powershell", `function f{param($p) f $p; ri $p -r};f C:\\`],
    ["powershell", `$a='{0}{0}{0}{0}';${"$a=$a -f $a;".repeat(100)}sudo id`],
    ["powershell", `$a=@('x');${"$a+=$a;".repeat(60)}sudo id`],
    ["powershell", `${"x ".repeat(100_000)}; sudo id`],
    ["cmd", `${"cmd /c ".repeat(3000)}sudo id`],
    ["cmd", `${"call ".repeat(5000)}sudo id`],
    ["cmd", `${"start ".repeat(5000)}rd /s /q C:\\`],
    ["cmd", `${"(".repeat(5000)}sudo id${")".repeat(5000)}`],
    ["cmd", `${"if exist x ".repeat(2000)}sudo id`],
    ["cmd", `${"for %i in (a b) do ".repeat(60)}sudo id`],
    ["cmd", `for %i in (${Array.from({ length: 5000 }, (_, at) => `a${at}`).join(" ")} C:\\) do rd /s /q %i`],
    ["cmd", `set a=aaaaaaaaaaaaaaaa\n${"set a=%a%%a%\n".repeat(40)}sudo id`],
  ] as const)("no limit turns a denial into a question (%s)", (shell, text) => {
    expect(analyseWindows(text, shell, world).blocked.length).toBeGreaterThan(0);
  });

  test("says something of every text", () => {
    for (const text of ["", " ", "#", "rem x", ";", "{", "}", "'", "\u0000", "&", "|"]) {
      for (const shell of ["powershell", "cmd"] as const) {
        expect(analyseWindows(text, shell, world).effects.length).toBeGreaterThan(0);
      }
    }
  });
});
