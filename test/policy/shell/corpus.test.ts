import { describe, expect, it } from "vitest";
import { analyse, bashRows, blockedBy, told, type Row } from "./analyse.ts";

function each(name: string, check: (row: Row) => void): void {
  describe(name, () => {
    it.each(bashRows(name).map((row) => [row.id, row.cmd.slice(0, 80), row] as const))("%s %j", (_id, _text, row) => {
      check(row);
    });
  });
}

each("blocked", ({ cmd }) => {
  const { blocked } = analyse(cmd);
  expect(blocked.length).toBeGreaterThan(0);
  for (const { rule, effect } of blocked) {
    expect(rule).toMatchObject({ source: "hardcoded", effect: "deny" });
    expect(rule.id).toMatch(/^blocklist\.[a-z0-9-]+$/);
    expect(rule.because).not.toBe("");
    expect(effect.kind).toBe("run");
  }
});

each("not_blocked", ({ cmd }) => {
  expect(blockedBy(cmd)).toEqual([]);
});

each("undecidable", ({ cmd, kind, expected }) => {
  const { effects, blocked } = analyse(cmd);
  const causes = effects.flatMap((effect) => (effect.kind === "opaque" ? [effect.cause] : []));
  if (expected === "block") expect(blocked.length).toBeGreaterThan(0);
  else {
    expect(blocked).toEqual([]);
    expect(causes.length).toBeGreaterThan(0);
    // Only the insides of a known program may pass by a rule for that program.
    if (kind !== "opaque") expect(causes.some((cause) => cause !== "program")).toBe(true);
  }
});

each("parser_gaps", ({ cmd }) => {
  const lines = told(cmd);
  // The command inside is found, or the text is not decided.
  expect(lines.some((line) => /^run id|^opaque syntax|^write \/work\/b/.test(line)) || cmd.includes("a>b c")).toBe(
    true,
  );
});

each("found-spellings", ({ cmd, expected, rule }) => {
  if (expected === "block") expect(blockedBy(cmd)).toContain(rule);
  else expect(blockedBy(cmd)).toEqual([]);
});

it("sees the operand behind a redirection", () => {
  expect(told("echo a>b c")).toEqual(["run echo a c", "write /work/b"]);
});
