import type { Finding } from "../model/decision.ts";
import { draftAmong } from "./drafts.ts";
import { effectText } from "./effect-text.ts";

/** What would have to be granted, such as `allow shell "npm install x"`, or a person's answer where no rule can say it. */
export function missingPermission(finding: Finding, open: readonly Finding[] = [finding]): string {
  const draft = draftAmong(finding, open, "allow");
  if (draft === undefined) return `a person's answer to: ${effectText(finding.effect)}`;
  return `allow ${draft.capability} ${JSON.stringify(draft.match)}`;
}
