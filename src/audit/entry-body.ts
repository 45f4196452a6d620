import type { Decision } from "../model/decision.ts";
import type { Entry } from "../model/gate-ports.ts";
import type { SessionFolders } from "../model/session.ts";

/** Characters of JSON that the session's folders may take: more would cut off what was judged. */
const mostFolders = 8192;

/** What is recorded of a decided request: all that was asked, judged and answered; of rules only which they were. */
export function entryBody(entry: Entry): unknown {
  const { subject, intent, asked, decision, by, verdict, denial } = entry;
  const folders = entry.folders === undefined ? undefined : foldersBody(entry.folders);
  return {
    subject,
    intent,
    ...(asked === undefined ? {} : { asked }),
    verdict,
    by,
    denial,
    findings: findings(decision),
    ...(folders === undefined ? {} : { folders }),
  };
}

/** Undefined: too many, half of them say nothing. */
function foldersBody({ workspace, scopes }: SessionFolders): unknown {
  const body = { workspace, scopes: scopes.map(({ root, access }) => ({ root, access })) };
  return JSON.stringify(body).length <= mostFolders ? body : undefined;
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
