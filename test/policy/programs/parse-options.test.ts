import { describe, expect, test } from "vitest";
import { optionTable } from "../../../src/policy/shell/programs/option-table.ts";
import { parseOptions, type OptionStyle } from "../../../src/policy/shell/programs/parse-options.ts";
import { literal, shown } from "../../../src/policy/shell/programs/words.ts";
import type { Word } from "../../../src/policy/shell/simple-command.ts";

const table = optionTable("-abc -o,--output=w -i,--in-place=?w --outline --color=?. -#");

function parse(words: readonly (string | Word)[], style?: OptionStyle) {
  const parsed = parseOptions(
    words.map((word) => (typeof word === "string" ? literal(word) : word)),
    table,
    style,
  );
  return {
    options: parsed.given.map(({ option, value }) =>
      value === undefined ? option.name : `${option.name}=${shown(value)}`,
    ),
    operands: parsed.operands.map(shown),
    strange: parsed.strange,
  };
}

describe("parseOptions", () => {
  test.each([
    [["-ab", "x"], ["-a", "-b"], ["x"], []],
    [["-abof", "x"], ["-a", "-b", "-o=f"], ["x"], []],
    [["-abo", "f", "x"], ["-a", "-b", "-o=f"], ["x"], []],
    [["x", "-o", "f"], ["-o=f"], ["x"], []],
    [["--output=f"], ["-o=f"], [], []],
    [["--output", "f"], ["-o=f"], [], []],
    [["--outp", "f"], ["-o=f"], [], []],
    [["--out", "f"], [], ["f"], ["--out"]],
    [["-i.bak", "x"], ["-i=.bak"], ["x"], []],
    [["-i", "x"], ["-i"], ["x"], []],
    [["--in-place", "x"], ["-i"], ["x"], []],
    [["--in-place=.b", "x"], ["-i=.b"], ["x"], []],
    [["-5", "-a5", "x"], ["-a"], ["x"], []],
    [["--", "-a", "--"], [], ["-a", "--"], []],
    [["-", "-a"], ["-a"], ["-"], []],
    [["-z", "x"], [], ["x"], ["-z"]],
    [["-az", "x"], ["-a"], ["x"], ["-z"]],
    [["--nosuch", "x"], [], ["x"], ["--nosuch"]],
    [["-o"], ["-o="], [], []],
  ] as const)("%j", (words, options, operands, strange) => {
    expect(parse(words)).toEqual({ options, operands, strange });
  });

  test("stops at the first operand where a program does", () => {
    expect(parse(["-a", "x", "-b"], "posix")).toEqual({ options: ["-a"], operands: ["x", "-b"], strange: [] });
  });

  test("does not cut names short where a program does not", () => {
    expect(parse(["--outp", "f"], "exact").strange).toEqual(["--outp"]);
  });

  test("keeps a glued value that is not fully known, and reports an option that is not", () => {
    const dynamic: Word = {
      kind: "dynamic",
      text: '--output="$X"',
      parts: ["--output=", undefined],
      why: "a variable",
    };
    expect(parse([dynamic]).options).toEqual(['-o=--output="$X"']);
    const cluster: Word = { kind: "dynamic", text: "-a$X", parts: ["-a", undefined], why: "a variable" };
    expect(parse([cluster]).strange).toEqual(["-a"]);
    expect(parse([{ kind: "glob", pattern: "-a*" }]).strange).toEqual(["-a"]);
  });

  test("refuses a bad table", () => {
    for (const bad of ["x", "-a=", "-a=q", "--long=?", "=."])
      expect(() => optionTable(bad)).toThrow("bad option entry");
  });
});
