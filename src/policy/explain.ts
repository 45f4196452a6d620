import type { Finding, Settlement } from "../model/decision.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Judgement } from "../model/gate-ports.ts";
import type { Intent } from "../model/intent.ts";
import type { Rule, RuleDraft } from "../model/rule.ts";
import type { Scope } from "../model/scope.ts";
import type { Mode } from "../model/subject.ts";
import { draftAmong, isNamedByRun } from "./drafts.ts";
import { effectText } from "./effect-text.ts";
import { questionTitle } from "./question-title.ts";

/**
 * The decision as a tree for a person: every effect with its verdict, the ground, and what would change it, in the mode that the request was judged in. Plain text: surfaces escape it.
 */
export function explain(intent: Intent, judgement: Pick<Judgement, "decision" | "settlement">, mode: Mode): string {
  const { decision, settlement } = judgement;
  const lines = [`${questionTitle(intent)}: ${settlement.kind}`];
  if (decision.findings.length === 0) lines.push("└─ nothing to judge, and nothing means deny");
  const asked = settlement.kind === "ask" ? settlement.open : decision.findings.filter(asks);
  for (const [at, finding] of decision.findings.entries()) {
    const last = at === decision.findings.length - 1;
    const [head = "", ...details] = explainFinding(finding, asked, mode);
    lines.push(`${last ? "└─" : "├─"} ${head}`, ...details.map((line) => `${last ? "  " : "│ "}    ${line}`));
  }
  lines.push(settlementText(settlement));
  return lines.join("\n");
}

function asks({ verdict }: Finding): boolean {
  return verdict === "ask";
}

function explainFinding(finding: Finding, asked: readonly Finding[], mode: Mode): string[] {
  const scope = finding.scope === undefined ? [] : [`scope   ${scopeText(finding.scope)}`];
  return [
    `${effectText(finding.effect)}: ${finding.verdict}`,
    `because ${finding.because}`,
    ...finding.rules.map((rule) => `rule    ${ruleText(rule)}`),
    ...scope,
    ...modeText(finding, asked, mode),
    ...changeText(finding, asked).map((text) => `change  ${text}`),
  ];
}

/** Why a part is asked about that is allowed in itself, and what would spare the question. */
function modeText(finding: Finding, asked: readonly Finding[], mode: Mode): string[] {
  if (finding.verdict !== "allow" || !asked.includes(finding)) return [];
  if (mode === "supervised") return ["asked   mode supervised asks before everything", "change  another mode"];
  const draft = draftAmong(finding, asked, "allow");
  const rule = draft === undefined ? "" : `${draftText(draft)}, or `;
  return [`asked   mode ${mode} asks for every write that only the folder allows`, `change  ${rule}mode autopilot`];
}

function draftText({ capability, match }: RuleDraft): string {
  return `a rule: allow ${capability} ${JSON.stringify(match)}`;
}

function scopeText({ root, access, lasts, expiresAt }: Scope): string {
  return `${root} (${access}, ${lasts}${expiresAt === undefined ? "" : `, until ${expiresAt.toISOString()}`})`;
}

/** A rule with its source and its place. */
function ruleText(rule: Rule): string {
  const patterns = rule.match.length === 0 ? "" : ` ${rule.match.map((pattern) => JSON.stringify(pattern)).join(", ")}`;
  const methods = rule.methods === undefined ? "" : ` ${rule.methods.join(" or ")}`;
  return `${rule.id}: ${rule.effect} ${rule.capability}${methods}${patterns} (${rule.source}${rule.origin === undefined ? "" : `, ${rule.origin}`})`;
}

/** What would make another verdict of it; empty where it is allowed. */
function changeText(finding: Finding, asked: readonly Finding[]): string[] {
  const [rule] = finding.rules;
  if (finding.verdict === "allow") return [];
  if (finding.verdict === "deny") {
    const changes = finding.rules.map(denialChange);
    // All of them deny: one that stays is enough.
    return changes.length === 0 || changes.includes(undefined) ? ["nothing"] : [[...new Set(changes)].join(", and ")];
  }
  if (finding.firm) return ["a person's answer, each time anew"];
  if (rule?.effect === "ask") return [`${finding.rules.map(placeText).join(", and ")}, or a person's answer`];
  if (finding.effect.kind === "reach" && isNamedByRun(finding, asked))
    return ["the rule for the command that reaches it"];
  const draft = draftAmong(finding, asked, "allow");
  return [draft === undefined ? "a person's answer" : draftText(draft)];
}

/** What takes this denial away; undefined: nothing. */
function denialChange(rule: Rule): string | undefined {
  if (rule.id.startsWith("mount.")) return "a folder that holds it, granted to the session";
  if (rule.id.startsWith("tier.")) return `an agent of tier ${rule.id.slice("tier.".length)}`;
  return rule.source === "hardcoded" ? undefined : placeText(rule);
}

function placeText({ id, origin }: Rule): string {
  return `rule ${id}${origin === undefined ? "" : ` at ${origin}`}`;
}

function settlementText(settlement: Settlement): string {
  switch (settlement.kind) {
    case "allow":
      return settlement.by.kind === "mode" ? "It runs: the session's mode answers yes." : "It runs without a question.";
    case "ask":
      return `A person is asked about ${settlement.open.length === 1 ? "one part" : `${settlement.open.length} parts`}.`;
    case "deny":
      return `It is refused. ${settlement.next}`;
    default:
      return exhausted(settlement);
  }
}
