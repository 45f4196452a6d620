import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ApprovalsServiceWatchResponseSchema,
  QuestionSchema,
  ProposalSchema,
  RuleDraftSchema,
  TryEditResponseSchema,
} from "../../gen/sallyport/v1/approvals_pb.ts";
import { AnswerKind } from "../../gen/sallyport/v1/approvals_pb.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { RuleDraft } from "../../model/rule.ts";
import type { EditLook, OpenQuestion, Proposal, QuestionEvent } from "../ports/people.ts";
import { answerNumbers, rulesFileNumbers, verdictNumbers } from "../words.ts";
import { replyFinding, replyRule } from "./reply-policy.ts";

/** An open question as a message, with what would change for those who may answer: it may show what the caller who is asked about may not read. */
export function replyQuestion(question: OpenQuestion, mayAnswer: boolean): MessageInitShape<typeof QuestionSchema> {
  const { detail, preview = "" } = question;
  return {
    id: question.id,
    agent: question.agent,
    sessionId: question.session,
    channel: question.channel,
    title: question.title,
    detail: mayAnswer && preview !== "" ? `${detail}\n${preview}` : detail,
    findings: question.findings.map(replyFinding),
    allowDrafts: question.allowDrafts.map(replyDraft),
    denyDrafts: question.denyDrafts.map(replyDraft),
    askedAt: question.askedAt.toISOString(),
    deadline: question.deadline.toISOString(),
    suspicious: question.suspicious,
    answers: question.answers.map((kind) => answerNumbers[kind]),
    waiting: question.waiting,
    group: question.group,
    marks: question.marks.map(({ start, end }) => ({ start, end })),
    editable: mayAnswer ? question.editable : "",
    places: mayAnswer ? question.places.map(({ file, path }) => ({ file: rulesFileNumbers[file], path })) : [],
    waitsForCaller: question.waitsForCaller,
  };
}

/** A change in the queue as a message. */
export function replyQuestionEvent(
  event: QuestionEvent,
  mayAnswer: boolean,
): MessageInitShape<typeof ApprovalsServiceWatchResponseSchema> {
  switch (event.kind) {
    case "opened":
      return { event: { case: "opened", value: replyQuestion(event.question, mayAnswer) } };
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

/** What an edited text would do as a message. */
export function replyEditLook(look: EditLook): MessageInitShape<typeof TryEditResponseSchema> {
  return {
    title: look.title,
    detail: look.detail,
    findings: look.findings.map(replyFinding),
    marks: look.marks.map(({ start, end }) => ({ start, end })),
    suspicious: look.suspicious,
    plan: look.plan,
  };
}

/** A broader rule as a message. */
export function replyProposal(proposal: Proposal): MessageInitShape<typeof ProposalSchema> {
  return {
    draft: replyDraft(proposal.draft),
    replaces: proposal.replaces.map(replyRule),
    wouldHaveAllowed: [...proposal.wouldHaveAllowed],
    wouldHaveAllowedTotal: proposal.total,
  };
}

function replyDraft(draft: RuleDraft): MessageInitShape<typeof RuleDraftSchema> {
  return {
    capability: draft.capability,
    match: draft.match,
    effect: verdictNumbers[draft.effect],
  };
}
