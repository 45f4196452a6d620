import type { Decision } from "../model/decision.ts";
import type { Entry } from "../model/gate-ports.ts";

/** What is recorded of a decided request: all that was asked, judged and answered; of rules only which they were. */
export function entryBody(entry: Entry): unknown {
  const { subject, intent, asked, decision, by, verdict, denial } = entry;
  return {
    subject,
    intent,
    ...(asked === undefined ? {} : { asked }),
    verdict,
    by,
    denial,
    findings: findings(decision),
  };
}

function findings(decision: Decision): unknown {
  return decision.findings.map(({ effect, verdict, rules, because, firm }) => ({
    effect,
    verdict,
    because,
    firm,
    rules: rules.map((rule) => `${rule.source}:${rule.id}`),
  }));
}
