import { create } from "@bufbuild/protobuf";
import { type AnswerKind, AnswerRequestSchema, type Question, RulesFile } from "../../gen/sallyport/v1/approvals_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { visible } from "../text/visible.ts";
import { waitingCount } from "../text/waiting-count.ts";
import type { SurfacePort } from "../surface/surface-port.ts";
import type { Posted } from "./posted-questions.ts";

/** UTF-16 units of a notice (Bot API, answerCallbackQuery). */
const longestNotice = 200;

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
  port: Pick<SurfacePort, "answer" | "list">,
): Promise<Notice> {
  const { about } = posted;
  const [first, ...rest] = about.kind === "group" ? about.questions : [about.question];
  const { answer, file = RulesFile.UNSPECIFIED, forSeconds = 0, message = "", edited = "", plan = "" } = given;
  const also = rest.map(({ id }) => id);
  const waiting = waitingCount([first, ...rest]);
  const request = { questionId: first.id, also, answer, file, forSeconds, message, edited, plan, waiting };
  posted.busy = true;
  try {
    const { notCounted } = await port.answer(create(AnswerRequestSchema, request), String(from));
    const [fault] = notCounted;
    if (fault === undefined) return { text: "Done.", alert: false };
    return alertOf(`Done, but not for ${notCounted.length} of them: ${fault.reason}`);
  } catch (error) {
    // Where that fails, the next tap is refused once more.
    if (error instanceof SallyportError && error.field === "waiting")
      await recount(posted, port).catch(() => undefined);
    const why = error instanceof SallyportError ? error.message : "internal error";
    return alertOf(`Not counted: ${why}`);
  } finally {
    posted.busy = false;
  }
}

/** Whoever tapped is told how many wait by now: the next tap is for them. */
async function recount(posted: Posted, port: Pick<SurfacePort, "list">): Promise<void> {
  const open = new Map((await port.list()).map((question) => [question.id, question]));
  const now = (question: Question): Question => open.get(question.id) ?? question;
  const { about } = posted;
  if (about.kind === "group") {
    const [first, ...rest] = about.questions;
    posted.about = { kind: "group", questions: [now(first), ...rest.map(now)] };
  } else posted.about = { ...about, question: now(about.question) };
}

/** A reason may repeat what an agent wrote. */
function alertOf(text: string): Notice {
  return { text: visible(text).slice(0, longestNotice).toWellFormed(), alert: true };
}
