import { describe, expect, test } from "vitest";
import { analyseWindows } from "../../../src/policy/windows/analyse-windows.ts";
import { lines, type Row } from "../programs/corpus.ts";
import { fakeFacts, judge, path, rule, shell } from "../world.ts";

interface FoundRow extends Row {
  /** The blocklist's entry that must speak. */
  readonly entry?: string;
  /** Why a person is asked. */
  readonly why?: string;
}

function found(name: string): readonly FoundRow[] {
  return lines(new URL(`../../corpus/shell/found-windows-${name}.jsonl`, import.meta.url));
}

/** Judged where everything is allowed that can be allowed. */
function judged({ cmd, shell: name }: Row) {
  const everything = rule({ capability: "all", effect: "allow", match: ["*", "/**"] });
  const command = { kind: "shell", shell: name, text: cmd } as const;
  return judge(shell(cmd, { command }), { rules: [everything], subject: { mode: "allow-all" } });
}

function analysed({ cmd, shell: name }: Row) {
  if (name === "bash") throw new Error("not a row for Windows' shells");
  return analyseWindows(cmd, name, { home: "C:\\Users\\u", cwd: path("/work"), facts: fakeFacts() });
}

describe("spellings that were found for PowerShell and cmd", () => {
  test.each(found("blocked"))("$id is blocked: $cmd", (row) => {
    const { decision, settlement } = judged(row);
    expect(settlement.kind).toBe("deny");
    const rules = decision.findings.flatMap((finding) => (finding.verdict === "deny" ? finding.rules : []));
    expect(rules.map(({ id }) => id)).toContain(`blocklist.${row.entry ?? "?"}`);
    expect(rules.every((each) => each.source === "hardcoded" && each.because !== undefined)).toBe(true);
  });

  test.each(found("benign"))("$id is not blocked: $cmd", (row) => {
    const rules = judged(row).decision.findings.flatMap((finding) => finding.rules.map(({ id }) => id));
    expect(rules.filter((id) => id.startsWith("blocklist."))).toEqual([]);
  });

  test.each(found("unseen"))("$id is never silent: $cmd", (row) => {
    const { decision, settlement } = judged(row);
    const reasons = decision.findings.flatMap(({ effect }) => (effect.kind === "opaque" ? [effect] : []));
    expect(reasons.map(({ why }) => why)).toContain(row.why);
    // The insides of a known program may pass by a mode that a person chose.
    if (reasons.some(({ cause }) => cause !== "program")) expect(settlement.kind).toBe("ask");
  });

  test.each(found("effects"))("$id is seen through where its paths are known: $cmd", (row) => {
    expect(analysed(row).effects.some(({ kind }) => kind === "opaque")).toBe(row.unknown);
  });
});
