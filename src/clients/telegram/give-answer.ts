import { create } from "@bufbuild/protobuf";
import { type AnswerKind, AnswerRequestSchema, RulesFile } from "../../gen/sallyport/v1/approvals_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import type { SurfacePort } from "../surface/surface-port.ts";
import type { Posted } from "./posted-questions.ts";

/** What whoever tapped is told. */
export interface Notice {
  readonly text: string;
  /** True for what must be seen. */
  readonly alert: boolean;
}

/** What is said to a question, beside which it is. */
export interface Given {
  readonly answer: AnswerKind;
  readonly file?: RulesFile;
  readonly forSeconds?: number;
  readonly message?: string;
  readonly edited?: string;
  readonly plan?: string;
}

/** Answers what a message is about: one question, or all that are open in its list. */
export async function giveAnswer(
  posted: Posted,
  given: Given,
  from: number,
  port: Pick<SurfacePort, "answer">,
): Promise<Notice> {
  const { about } = posted;
  const [first, ...rest] = about.kind === "group" ? about.questions : [about.question];
  const { answer, file = RulesFile.UNSPECIFIED, forSeconds = 0, message = "", edited = "", plan = "" } = given;
  const also = rest.map(({ id }) => id);
  const request = { questionId: first.id, also, answer, file, forSeconds, message, edited, plan };
  posted.busy = true;
  try {
    const { notCounted } = await port.answer(create(AnswerRequestSchema, request), String(from));
    const [fault] = notCounted;
    if (fault === undefined) return { text: "Done.", alert: false };
    return { text: `Done, but not for ${notCounted.length} of them: ${fault.reason}`.slice(0, 200), alert: true };
  } catch (error) {
    const why = error instanceof SallyportError ? error.message : "internal error";
    return { text: `Not counted: ${why}`.slice(0, 200), alert: true };
  } finally {
    posted.busy = false;
  }
}
