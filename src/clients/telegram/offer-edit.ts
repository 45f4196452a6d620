import type { Question } from "../../gen/sallyport/v1/approvals_pb.ts";
import { copyText } from "./edit-text.ts";
import type { Posted } from "./posted-questions.ts";
import type { UpdateParts } from "./take-update.ts";

/** Sends the command of a question for somebody to copy and change. */
export function offerEdit(question: Question, { chat, message }: Posted, parts: Pick<UpdateParts, "say">): void {
  parts.say(chat, {
    text: copyText(question),
    replyTo: message,
    aside: { about: { kind: "to-edit", question }, buttons: [] },
  });
}
