import { describe, expect, test } from "vitest";
import { readSedScript } from "../../../src/policy/shell/programs/sed-script.ts";

describe("readSedScript", () => {
  test.each([
    ["s/a/b/", [], [], false, false],
    ["s/a/b/w out", [], ["out"], false, false],
    ["s/a/b/gpw out", [], ["out"], false, false],
    ["s/a/b/e", [], [], true, false],
    ["s,a,b,Iew x", [], ["x"], true, false],
    ["w out", [], ["out"], false, false],
    ["1,/x/!w out", [], ["out"], false, false],
    ["/a\\/b/w out", [], ["out"], false, false],
    ["\\,a,w out", [], ["out"], false, false],
    ["/[/]/w out", [], ["out"], false, false],
    ["s/[/]/x/w out", [], ["out"], false, false],
    ["s/[^]/]/x/w out", [], ["out"], false, false],
    ["0~3d;W out", [], ["out"], false, false],
    ["/x/{w out\n}", [], ["out"], false, false],
    ["r in", ["in"], [], false, false],
    ["$R in", ["in"], [], false, false],
    ["1e id", [], [], true, false],
    ["e", [], [], true, false],
    ["y/abc/wer/", [], [], false, false],
    ["a\\\nw out", [], [], false, false],
    ["a w out\nw out", [], ["out"], false, false],
    ["# w out", [], [], false, false],
    [":w;bw;tw", [], [], false, false],
    ["s/e/w/;p", [], [], false, false],
    ["w a;w b", [], ["a;w b"], false, false],
    ["k", [], [], false, true],
    ["s/a", [], [], false, true],
    ["s", [], [], false, true],
  ] as const)("%j", (script, reads, writes, runs, unclear) => {
    const found = readSedScript(script);
    expect({ reads: found.reads, writes: found.writes, runs: found.runs, unclear: found.unclear }).toEqual({
      reads,
      writes,
      runs,
      unclear,
    });
  });
});
