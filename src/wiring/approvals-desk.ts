import type { Approvals } from "../approvals/broker.ts";
import type { Audit } from "../audit/open-audit.ts";
import type { Approvals as ApprovalsPort } from "../server/ports/people.ts";

/** The queue of questions as the server asks for it; every answer leaves a record of its own. */
export function approvalsDesk(approvals: Approvals, audit: Audit): ApprovalsPort {
  return {
    watch: (signal) => approvals.watch(signal),
    list: () => approvals.list(),
    async answer(id, answer, by, message) {
      const question = approvals.list().find((open) => open.id === id);
      const rules = await approvals.answer(id, answer, by, message);
      const verdict = answer === "allow" || answer === "always-allow" ? "allow" : "deny";
      const about = {
        question: id,
        title: question?.title ?? "",
        answer,
        by: by.agent,
        channel: by.channel,
        message,
        rules: rules.map((rule) => rule.id),
      };
      audit.note({
        kind: "answered",
        verdict,
        about,
        ...(question === undefined ? {} : { agent: question.agent, session: question.session }),
      });
      return rules;
    },
  };
}
