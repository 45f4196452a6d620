import { caseIntent, caseTitle } from "./config/case-intent.ts";
import { type CaseSubject, subjectKeys } from "./config/case-subject.ts";
import { ConfigProblem, firstOf } from "./config/config-fault.ts";
import { type LineText, parseBatchLine, parseRulesTest, type RulesTest } from "./config/parse-case.ts";
import type { ConfigText } from "./config/read-config-file.ts";
import type { Finding } from "./model/decision.ts";
import type { Effect } from "./model/effect.ts";
import { exhausted } from "./model/exhausted.ts";
import type { Judgement } from "./model/gate-ports.ts";
import { Problem } from "./model/problem.ts";
import type { Rule } from "./model/rule.ts";
import { effectText } from "./policy/effect-text.ts";
import { judgeOffline } from "./policy/offline-judge.ts";

/**
 * Judges the lines of a batch without a server: one JSON object a line in, one out, in the same order; empty lines are skipped. A line that cannot be
 * read gives `{"line","field","error"}` and does not stop the others. Returns how many lines were judged and how many could not be.
 */
export async function runBatch(
  lines: Iterable<LineText> | AsyncIterable<LineText>,
  write: (line: string) => unknown,
): Promise<{ readonly judged: number; readonly malformed: number }> {
  let number = 0;
  let judged = 0;
  let malformed = 0;
  for await (const text of lines) {
    number += 1;
    if (text?.trim() === "") continue;
    const result = judgeLine(text, number);
    if ("error" in result) malformed += 1;
    else judged += 1;
    await write(JSON.stringify(result));
  }
  return { judged, malformed };
}

function judgeLine(text: LineText, number: number): object {
  let subject = "";
  try {
    const { line, rules } = parseBatchLine(text, number);
    subject = subjectKeyOf(line);
    const judgement = judgeOffline(caseIntent(line, line.cwd), { ...line, workspace: line.cwd, rules });
    return { ...(line.id === undefined ? {} : { id: line.id }), ...verdictOf(judgement) };
  } catch (error) {
    return { line: number, ...faultOf(error, subject) };
  }
}

function faultOf(error: unknown, subject: string): { readonly field: string; readonly error: string } {
  if (error instanceof ConfigProblem) {
    const [first] = error.faults;
    return { field: first?.field ?? "", error: firstOf(error.faults.map((fault) => fault.message)).join("; ") };
  }
  if (error instanceof Problem) return { field: subject, error: problemText(error, subject) };
  return { field: "", error: "it could not be judged" };
}

function subjectKeyOf(subject: CaseSubject): string {
  return subjectKeys.find((key) => subject[key] !== undefined) ?? "";
}

/** A request's own field, such as `url`, is called by the key that the line has for it. */
function problemText({ field = "", message }: Problem, subject: string): string {
  return message.startsWith(`${field}: `) ? `${subject}${message.slice(field.length)}` : message;
}

/** What a batch says of one line. */
function verdictOf({ decision, settlement }: Judgement): object {
  return {
    verdict: settlement.kind,
    // Before mode and attendance.
    decided: decision.verdict,
    blocked: decision.findings.some(isBlocked),
    effects: decision.findings.map((finding) => effectFacts(finding.effect)),
    findings: decision.findings.map((finding) => ({
      effect: effectText(finding.effect),
      verdict: finding.verdict,
      rules: finding.rules.map((rule) => rule.id),
      because: finding.because,
      firm: finding.firm,
    })),
    ...(settlement.kind === "deny" ? { next: settlement.next } : {}),
  };
}

function isBlocked(finding: Finding): boolean {
  return finding.rules.some((rule) => rule.source === "hardcoded" && rule.id.startsWith("blocklist."));
}

function effectFacts(effect: Effect): object {
  switch (effect.kind) {
    case "run":
      return { kind: effect.kind, program: effect.program, text: effect.text, exact: effect.dynamic !== true };
    case "read":
    case "write":
    case "delete":
      return { kind: effect.kind, path: effect.path, exact: effect.exact };
    case "reach":
      return { kind: effect.kind, host: effect.host, port: effect.port, exact: effect.host !== "*" };
    case "use":
      return { kind: effect.kind, capability: effect.capability, name: effect.name, exact: true };
    case "opaque":
      return { kind: effect.kind, text: effect.text, why: effect.why, cause: effect.cause, exact: false };
    default:
      return exhausted(effect);
  }
}

/**
 * Runs a table of cases against rules: those of the file and `base`. Writes one line a case, `ok` or `not ok` with what was expected and what was said.
 * @throws ConfigProblem where the file cannot be read.
 */
export function runRulesTest(
  text: ConfigText,
  base: readonly Rule[],
  write: (line: string) => void,
): { readonly passed: number; readonly failed: number } {
  const test = parseRulesTest(text);
  const rules = [...base, ...test.rules];
  let failed = 0;
  for (const each of test.cases) {
    const complaint = complaintOf(each, rules);
    if (complaint !== undefined) failed += 1;
    write(
      `${complaint === undefined ? "ok" : "not ok"} ${each.place} ${each.name ?? caseTitle(each)}${complaint === undefined ? "" : `: ${complaint}`}`,
    );
  }
  return { passed: test.cases.length - failed, failed };
}

type Case = RulesTest["cases"][number];

/** What is wrong with the answer to a case; undefined where it is as expected. */
function complaintOf(each: Case, rules: readonly Rule[]): string | undefined {
  let judgement: Judgement;
  try {
    judgement = judgeOffline(caseIntent(each, each.cwd), { ...each, workspace: each.cwd, rules });
  } catch (error) {
    return faultOf(error, subjectKeyOf(each)).error;
  }
  const { decision, settlement } = judgement;
  const spoke = new Set(decision.findings.flatMap((finding) => finding.rules.map((rule) => rule.id)));
  const blocked = decision.findings.some(isBlocked);
  if (settlement.kind !== each.expect)
    return `expected ${each.expect}, got ${settlement.kind}: ${reasons(decision.findings)}`;
  if (each.blocked !== undefined && blocked !== each.blocked) return `expected blocked to be ${each.blocked}`;
  if (each.rule !== undefined && !spoke.has(each.rule))
    return `expected rule ${each.rule} to speak, not ${[...spoke].join(", ") || "none"}`;
  return undefined;
}

function reasons(findings: readonly Finding[]): string {
  return findings.map((finding) => `${effectText(finding.effect)}: ${finding.verdict}, ${finding.because}`).join("; ");
}
