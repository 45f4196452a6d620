import { describe, expect, test } from "vitest";
import { analyseShell } from "../../../src/policy/shell/analyse-shell.ts";
import { lines, rows } from "./corpus.ts";
import { isSilent } from "./found.ts";
import { corpusWorld } from "./world.ts";

describe("the read-only list", () => {
  test.each(rows("readonly_ok"))("$id runs without a question: $cmd", ({ cmd }) => {
    expect(isSilent(analyseShell(cmd, corpusWorld))).toBe(true);
  });

  test.each(lines(new URL("silent.jsonl", import.meta.url)))("runs without a question: $cmd", ({ cmd }) => {
    expect(isSilent(analyseShell(cmd, corpusWorld))).toBe(true);
  });

  const traps = [...rows("readonly_traps"), ...rows("found-programs")].filter(({ shell }) => shell === "bash");

  test.each(traps.filter(({ expected }) => expected !== undefined && !expected.startsWith("allow")))(
    "$id never runs without one: $cmd",
    ({ cmd }) => {
      expect(isSilent(analyseShell(cmd, corpusWorld))).toBe(false);
    },
  );

  test.each(traps.filter(({ expected }) => expected?.startsWith("allow")))("$id is not blocked: $cmd", ({ cmd }) => {
    expect(analyseShell(cmd, corpusWorld).blocked).toEqual([]);
  });
});
