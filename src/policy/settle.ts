import type { By, Decision, Finding, Settlement } from "../model/decision.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Mode, Subject } from "../model/subject.ts";
import { isNamedByRun } from "./drafts.ts";
import { missingPermission } from "./missing-permission.ts";

/**
 * What mode, attendance and tier make of a decision. A denial stands. A mode settles or raises asks; a subject that nobody watches is refused instead of asked, with what is missing named.
 */
export function settle(decision: Decision, subject: Pick<Subject, "mode" | "attended">): Settlement {
  const denied = decision.findings.find((finding) => finding.verdict === "deny");
  if (denied !== undefined || decision.verdict === "deny")
    return { kind: "deny", by: deniedBy(denied), finding: denied, next: nextAfterDenial(denied) };
  const open = decision.findings.filter((finding) => isOpen(finding, subject.mode));
  if (open.length === 0) return { kind: "allow", by: { kind: decision.verdict === "ask" ? "mode" : "rule" } };
  if (subject.attended) return { kind: "ask", open };
  const [first] = open;
  return { kind: "deny", by: { kind: "mode" }, finding: first, next: nextWhenUnattended(open) };
}

/** Whether a person must answer for this finding in this mode. */
function isOpen(finding: Finding, mode: Mode): boolean {
  switch (mode) {
    case "supervised":
      return true;
    case "ask":
      return finding.verdict !== "allow" || isWriteByScope(finding);
    case "autopilot":
      return finding.verdict !== "allow";
    case "allow-all":
      return finding.verdict !== "allow" && finding.firm;
    default:
      return exhausted(mode);
  }
}

/** A write that only the granted folder covers; a rule that allows it was a person's word. */
function isWriteByScope({ effect, rules }: Finding): boolean {
  return (effect.kind === "write" || effect.kind === "delete") && rules.length === 0;
}

function deniedBy(finding: Finding | undefined): By {
  return { kind: finding?.rules.some((rule) => rule.id.startsWith("tier.")) === true ? "tier" : "rule" };
}

function nextAfterDenial(finding: Finding | undefined): string {
  const rule = finding?.rules[0];
  if (rule === undefined) return "Ask for something that can be judged.";
  if (rule.id.startsWith("tier."))
    return "Ask an administrator for an agent of a higher tier, or leave this step to one.";
  if (rule.id.startsWith("mount."))
    return "Ask an administrator to grant the folder to this session, or stay in the granted folders.";
  if (rule.source === "hardcoded") return "Nothing lifts this. Reach the goal another way.";
  return `Reach the goal another way, or ask the owner of rule ${rule.id}${rule.origin === undefined ? "" : ` (${rule.origin})`} to change it.`;
}

function nextWhenUnattended(open: readonly Finding[]): string {
  const parts = open.filter((finding) => !isNamedByRun(finding, open));
  const missing = [...new Set(parts.map((finding) => missingPermission(finding, open)))];
  return `Nobody can be asked here. Missing: ${missing.join("; ")}.`;
}
