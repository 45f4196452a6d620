import { ApprovalsService } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { QuestionId } from "../../model/ids.ts";
import type { Caller } from "../../model/subject.ts";
import { isAdmin, requireAdmin } from "../authority.ts";
import { decodeAnswer, decodeTryEdit } from "../decode/answer.ts";
import { type Route, serverStream, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import { watched } from "../glue/watched.ts";
import type { OpenQuestion } from "../ports/people.ts";
import type { Ports } from "../ports.ts";
import { replyRule } from "../reply/reply-policy.ts";
import { replyEditLook, replyProposal, replyQuestion, replyQuestionEvent } from "../reply/reply-question.ts";

/** Open questions. An agent sees those of its own sessions and answers none. */
export function approvalsRoutes({ approvals }: Pick<Ports, "approvals">): readonly Route[] {
  const { watch, list, answer, tryEdit, listProposals } = ApprovalsService.method;
  return [
    serverStream(provenDoor, watch, async function* (_request, context) {
      const seen = new Set<QuestionId>();
      for await (const event of watched(context, (signal) => approvals.watch(signal))) {
        if (event.kind === "opened") {
          if (!maySee(context.caller, event.question)) continue;
          seen.add(event.question.id);
        } else if (!seen.delete(event.id)) continue;
        yield replyQuestionEvent(event, isAdmin(context.caller));
      }
    }),
    unary(provenDoor, list, async (_request, { caller }) => ({
      questions: (await approvals.list())
        .filter((question) => maySee(caller, question))
        .map((question) => replyQuestion(question, isAdmin(caller))),
    })),
    unary(provenDoor, answer, async (request, { caller }) => {
      requireAdmin(caller, "answering a question");
      const { id, reply, also } = decodeAnswer(request);
      const { rules, notCounted } = await approvals.answer(id, reply, caller, also);
      return {
        rules: rules.map(replyRule),
        notCounted: notCounted.map(({ id: questionId, reason }) => ({ questionId, reason })),
      };
    }),
    unary(provenDoor, tryEdit, async (request, { caller }) => {
      requireAdmin(caller, "trying another text");
      const { id, edited } = decodeTryEdit(request);
      return replyEditLook(await approvals.tryEdit(id, edited, caller));
    }),
    unary(provenDoor, listProposals, async (_request, { caller, signal }) => {
      requireAdmin(caller, "looking for broader rules");
      return { proposals: (await approvals.proposals(signal)).map(replyProposal) };
    }),
  ];
}

function maySee(caller: Caller, question: OpenQuestion): boolean {
  return isAdmin(caller) || question.agent === caller.agent;
}
