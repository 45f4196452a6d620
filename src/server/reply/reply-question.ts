import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ApprovalsServiceWatchResponseSchema,
  QuestionSchema,
  RuleDraftSchema,
} from "../../gen/sallyport/v1/approvals_pb.ts";
import { AnswerKind } from "../../gen/sallyport/v1/approvals_pb.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { RuleDraft } from "../../model/rule.ts";
import type { OpenQuestion, QuestionEvent } from "../ports/people.ts";
import { answerNumbers, verdictNumbers } from "../words.ts";
import { replyFinding } from "./reply-policy.ts";

/** An open question as a message. */
export function replyQuestion(question: OpenQuestion): MessageInitShape<typeof QuestionSchema> {
  return {
    id: question.id,
    agent: question.agent,
    sessionId: question.session,
    channel: question.channel,
    title: question.title,
    detail: question.detail,
    findings: question.findings.map(replyFinding),
    allowDrafts: question.allowDrafts.map(replyDraft),
    denyDrafts: question.denyDrafts.map(replyDraft),
    askedAt: question.askedAt.toISOString(),
    deadline: question.deadline.toISOString(),
    suspicious: question.suspicious,
  };
}

/** A change in the queue as a message. */
export function replyQuestionEvent(event: QuestionEvent): MessageInitShape<typeof ApprovalsServiceWatchResponseSchema> {
  switch (event.kind) {
    case "opened":
      return { event: { case: "opened", value: replyQuestion(event.question) } };
    case "closed":
      return {
        event: {
          case: "closed",
          value: {
            id: event.id,
            answer: event.answer === undefined ? AnswerKind.UNSPECIFIED : answerNumbers[event.answer],
            by: event.by,
          },
        },
      };
    default:
      return exhausted(event);
  }
}

function replyDraft(draft: RuleDraft): MessageInitShape<typeof RuleDraftSchema> {
  return {
    capability: draft.capability,
    match: draft.match,
    effect: verdictNumbers[draft.effect],
  };
}
