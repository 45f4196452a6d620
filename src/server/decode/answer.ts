import { AnswerKind, type AnswerRequest, type TryEditRequest } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { Reply } from "../../model/gate-ports.ts";
import type { QuestionId } from "../../model/ids.ts";
import { invalid } from "../../model/problem.ts";
import { answerNumbers, rulesFileNumbers, wordOf, wordOr } from "../words.ts";
import { decodeQuestionId } from "./ids.ts";
import { decodeWithin } from "./numbers.ts";
import { decodeName, decodeText } from "./text.ts";

const maxMessageBytes = 1024;
const maxEditedBytes = 65_536;
const maxSeconds = 86_400;
const maxAlso = 100;
const maxPlanBytes = 64;

/** An answer, and what it is for. */
export interface DecodedAnswer {
  readonly id: QuestionId;
  readonly reply: Reply;
  readonly also: readonly QuestionId[];
}

/** Decodes an answer. What belongs to another answer is refused: whoever sends it means something else. @throws Problem `invalid_argument`. */
export function decodeAnswer(request: AnswerRequest): DecodedAnswer {
  const id = decodeQuestionId("question_id", request.questionId);
  const kind = wordOf("answer", answerNumbers, request.answer);
  const message = decodeText("message", request.message, maxMessageBytes);
  const file = wordOr("file", rulesFileNumbers, request.file, undefined);
  const edits = request.answer === AnswerKind.EDIT_AND_ALLOW;
  if (!edits && request.edited !== "") throw invalid("edited", "is for ANSWER_KIND_EDIT_AND_ALLOW only");
  if (!edits && request.plan !== "") throw invalid("plan", "is for ANSWER_KIND_EDIT_AND_ALLOW only");
  if (kind !== "allow-for" && request.forSeconds !== 0)
    throw invalid("for_seconds", "is for ANSWER_KIND_ALLOW_FOR only");
  if (kind !== "always-allow" && kind !== "always-deny" && file !== undefined)
    throw invalid("file", "is for the answers that last always only");
  if (request.also.length > maxAlso) throw invalid("also", `more than ${maxAlso}`);
  if (edits && request.also.length > 0) throw invalid("also", "one text cannot run in the place of several");
  const forSeconds =
    request.forSeconds === 0 ? undefined : decodeWithin("for_seconds", request.forSeconds, 1, maxSeconds);
  return {
    id,
    reply: {
      kind,
      ...(message === "" ? {} : { message }),
      ...(edits ? { edited: decodeName("edited", request.edited, maxEditedBytes) } : {}),
      ...(request.plan === "" ? {} : { plan: decodeText("plan", request.plan, maxPlanBytes) }),
      ...(forSeconds === undefined ? {} : { forSeconds }),
      ...(file === undefined ? {} : { file }),
      ...(request.waiting === 0 ? {} : { waiting: request.waiting }),
    },
    also: request.also.map((other, at) => decodeQuestionId(`also[${at}]`, other)),
  };
}

/** Decodes an edited text that is to be looked at. @throws Problem `invalid_argument`. */
export function decodeTryEdit({ questionId, edited }: TryEditRequest): {
  readonly id: QuestionId;
  readonly edited: string;
} {
  return { id: decodeQuestionId("question_id", questionId), edited: decodeName("edited", edited, maxEditedBytes) };
}
