import type { Approvals } from "../approvals/broker.ts";
import { isAllowing } from "../approvals/check-reply.ts";
import type { RecordedAnswer } from "../approvals/open-question.ts";
import type { Audit } from "../audit/open-audit.ts";
import { parseEntryId } from "../model/ids.ts";
import type { Approvals as ApprovalsPort } from "../server/ports/people.ts";

/** The queue of questions as the server asks for it. */
export function approvalsDesk(approvals: Approvals, proposals: ApprovalsPort["proposals"]): ApprovalsPort {
  return {
    watch: (signal) => approvals.watch(signal),
    list: () => approvals.list(),
    answer: (id, reply, by, also) => approvals.answer(id, reply, by, also),
    tryEdit: (id, edited, by) => approvals.tryEdit(id, edited, by),
    proposals,
  };
}

/** Records every answer with the person and the channel, and with both texts where it was edited. @throws Problem where it cannot be written: the answer does not count then. */
export function answerNotes(audit: Audit): (answer: RecordedAnswer) => void {
  return ({ question, reply, edited, caller, rules }) => {
    const { id, title, agent, session, detail } = question;
    const { kind, message = "" } = reply;
    const entry = parseEntryId(id);
    audit.note({
      kind: "answered",
      // What the answer released says which question it was, so that one leads to the other.
      ...(entry === undefined ? {} : { entry }),
      agent,
      session,
      verdict: isAllowing(kind) ? "allow" : "deny",
      about: {
        question: id,
        title,
        answer: kind,
        by: caller.agent,
        channel: caller.channel,
        message,
        rules: rules.map((rule) => rule.id),
        ...(edited === undefined ? {} : { asked: detail, edited }),
      },
    });
  };
}
