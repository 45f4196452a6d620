import { describe, expect, test } from "vitest";
import { analyseShell } from "../../../src/policy/shell/analyse-shell.ts";
import { rows } from "./corpus.ts";
import { pathsOf, unseen } from "./found.ts";
import { corpusWorld } from "./world.ts";

describe("the corpus of exact reads and writes", () => {
  const all = rows("writes");

  test("holds its rows", () => expect(all.length).toBeGreaterThan(180));

  test.each(all)("$id $cmd", ({ cmd, reads, writes, unknown }) => {
    const analysis = analyseShell(cmd, corpusWorld);
    expect({
      reads: pathsOf(analysis, "read"),
      writes: pathsOf(analysis, "write", "delete"),
      unknown: unseen(analysis).length > 0,
    }).toEqual({
      reads: [...(reads ?? [])].sort(),
      writes: [...(writes ?? [])].sort(),
      unknown,
    });
  });
});
