import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { runBatch } from "../../../src/batch.ts";

const rowSchema = z.strictObject({
  capability: z.string(),
  match: z.array(z.string()),
  exclude: z.array(z.string()).optional(),
  subject: z.record(z.string(), z.unknown()),
  speaks: z.boolean(),
});
const answerSchema = z.object({
  findings: z.array(z.object({ verdict: z.string(), rules: z.array(z.string()) })),
});

const rows = readFileSync(new URL("../../corpus/rules/patterns.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => rowSchema.parse(JSON.parse(line)));

// Each as a line of a batch in the loosest mode, so that only the rule under test can deny by its name.
it.each(rows.map((row) => [row.capability, row.match, JSON.stringify(row.subject), row.speaks, row] as const))(
  "a rule for %s about %j and %s: %s",
  async (_capability, _match, _subject, _speaks, { capability, match, exclude = [], subject, speaks }) => {
    const denial = { id: "tried", effect: "deny", capability, match, ...(exclude.length > 0 && { exclude }) };
    const answers: unknown[] = [];
    await runBatch([JSON.stringify({ ...subject, mode: "allow-all", rules: [denial] })], (line) =>
      answers.push(JSON.parse(line)),
    );
    const { findings } = answerSchema.parse(answers[0]);
    expect(findings.some(({ verdict, rules }) => verdict === "deny" && rules.includes("tried"))).toBe(speaks);
  },
);
