import { create } from "@bufbuild/protobuf";
import { SallyportError } from "../clients/client/sallyport-error.ts";
import type { SurfacePort } from "../clients/surface/surface-port.ts";
import {
  AnswerResponseSchema,
  type ApprovalsServiceWatchResponse,
  ApprovalsServiceWatchResponseSchema,
  QuestionSchema,
  TryEditResponseSchema,
} from "../gen/sallyport/v1/approvals_pb.ts";
import { parseAgentId } from "../model/ids.ts";
import { invalid, Problem } from "../model/problem.ts";
import { type Caller, parseChannel } from "../model/subject.ts";
import { requireAdmin } from "../server/authority.ts";
import { decodeAnswer, decodeTryEdit } from "../server/decode/answer.ts";
import type { Approvals, QuestionEvent } from "../server/ports/people.ts";
import { replyRule } from "../server/reply/reply-policy.ts";
import { replyEditLook, replyQuestion, replyQuestionEvent } from "../server/reply/reply-question.ts";

/** What a surface's port is made of. */
export interface SurfacePortParts {
  readonly approvals: Approvals;
  /** `telegram` or `webhook`: the channel in the record, and what the names of its people begin with. */
  readonly channel: "telegram" | "webhook";
  /** Whether the settings of this moment make a person an admin. */
  readonly isAdmin: (person: string) => boolean;
}

/** The queue for a surface inside the sidecar: the desk that every RPC goes by, with a person for a caller. */
export function surfacePort({ approvals, channel, isAdmin }: SurfacePortParts): SurfacePort {
  return {
    // Joins now, not at the first read.
    watch: (signal) => messages(approvals.watch(signal)),
    async list() {
      return (await approvals.list()).map((question) => create(QuestionSchema, replyQuestion(question, true)));
    },
    async answer(request, person) {
      try {
        const caller = callerOf(channel, person, isAdmin(person));
        requireAdmin(caller, "answering a question");
        const { id, reply, also } = decodeAnswer(request);
        const { rules, notCounted } = await approvals.answer(id, reply, caller, also);
        return create(AnswerResponseSchema, {
          rules: rules.map(replyRule),
          notCounted: notCounted.map(({ id: questionId, reason }) => ({ questionId, reason })),
        });
      } catch (error) {
        throw told(error);
      }
    },
    async tryEdit(request, person) {
      try {
        const caller = callerOf(channel, person, isAdmin(person));
        requireAdmin(caller, "trying another text");
        const { id, edited } = decodeTryEdit(request);
        return create(TryEditResponseSchema, replyEditLook(await approvals.tryEdit(id, edited, caller)));
      } catch (error) {
        throw told(error);
      }
    },
    isAdmin,
  };
}

async function* messages(events: AsyncIterable<QuestionEvent>): AsyncGenerator<ApprovalsServiceWatchResponse> {
  try {
    for await (const event of events)
      yield create(ApprovalsServiceWatchResponseSchema, replyQuestionEvent(event, true));
  } catch (error) {
    throw told(error);
  }
}

/** A person is no agent, whatever he is called: his name in the record begins with the channel. */
function callerOf(channel: string, person: string, admin: boolean): Caller {
  const name = parseAgentId(`${channel}-${person}`);
  const parsed = parseChannel(channel);
  if (name === undefined || parsed === undefined) throw invalid("person", "is no usable identifier");
  return { agent: name, channel: parsed, role: admin ? "admin" : "member", isAgent: false, tier: "full" };
}

/** Clients know no Problem. What is Sallyport's own fault tells nothing. */
function told(error: unknown): SallyportError {
  if (!(error instanceof Problem) || error.code === "internal")
    return new SallyportError("internal", "internal error", { cause: error });
  return new SallyportError(error.code, error.message, error.field === undefined ? {} : { field: error.field });
}
