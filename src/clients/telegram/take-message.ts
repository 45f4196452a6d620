import { create } from "@bufbuild/protobuf";
import { AnswerKind, type Question, TryEditRequestSchema } from "../../gen/sallyport/v1/approvals_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { visible } from "../text/visible.ts";
import { buttonsForEdited, mayEdit } from "./buttons.ts";
import { editedText } from "./edit-text.ts";
import type { Posted } from "./posted-questions.ts";
import type { ChatMessage } from "./read-update.ts";
import { plain, pre, richText } from "./rich-text.ts";
import { giveAnswer } from "./give-answer.ts";
import { offerEdit } from "./offer-edit.ts";
import type { UpdateParts } from "./take-update.ts";

const longestDenial = 1024;
/** Characters of a reason: made visible, each takes ten at most. */
const longestReason = 400;
/** A reply to a question that puts another command in its place; any other reply denies it. */
const editCommand = /^\/edit(?:@\w{1,64})?(?:\s+([\s\S]+))?$/;

/** Takes what an admin wrote: an edited command, the words of a denial, or a command to the bot. */
export async function takeMessage(message: ChatMessage, parts: UpdateParts): Promise<void> {
  const posted = message.replyTo === undefined ? undefined : await parts.posted.find(message.chat, message.replyTo);
  if (posted !== undefined) return takeReply(message, posted, parts);
  if (message.sentAt < parts.startedAt) return;
  const text = await parts.command(message.text);
  if (text !== undefined) parts.say(message.chat, { text, replyTo: message.message });
}

async function takeReply(message: ChatMessage, posted: Posted, parts: UpdateParts): Promise<void> {
  const { about } = posted;
  if (about.kind === "to-edit") return propose(about.question, message.text, message, parts);
  if (about.kind === "edited")
    return tell(message, parts, "Nothing was done. Reply to the message with the command, or to the question.");
  const edit = editCommand.exec(message.text);
  if (edit === null) return deny(message, posted, parts);
  if (about.kind === "group")
    return tell(message, parts, "Nothing was done. Press One by one first, then reply to the one that you mean.");
  if (!about.shownWhole || !mayEdit(about.question))
    return tell(message, parts, "This cannot be edited here. Nothing was done.");
  const [, text] = edit;
  if (text === undefined) return offerEdit(about.question, posted, parts);
  return propose(about.question, text, message, parts);
}

/** Shows what an edited command would do, with a button that allows exactly that. Nothing runs by a text alone. */
async function propose(question: Question, edited: string, message: ChatMessage, parts: UpdateParts): Promise<void> {
  try {
    const request = create(TryEditRequestSchema, { questionId: question.id, edited });
    const look = await parts.port.tryEdit(request, String(message.from));
    const text = editedText(look);
    if (text === undefined)
      return tell(message, parts, "Nothing was done: this is too long to be shown here. Edit it on the web page.");
    const aside = { about: { kind: "edited", question }, buttons: buttonsForEdited(edited, look.plan) } as const;
    parts.say(message.chat, { text, replyTo: message.message, aside });
  } catch (error) {
    const why = error instanceof SallyportError ? error.message : "internal error";
    tell(message, parts, "Nothing was done:", why);
  }
}

async function deny(message: ChatMessage, posted: Posted, parts: UpdateParts): Promise<void> {
  const { about } = posted;
  const questions = about.kind === "group" ? about.questions : [about.question];
  if (!questions.every(({ answers }) => answers.includes(AnswerKind.DENY)))
    return tell(message, parts, "This question cannot be denied here.");
  if (Buffer.byteLength(message.text) > longestDenial)
    return tell(message, parts, `Not counted: the words have more than ${longestDenial} bytes.`);
  if (posted.busy) return tell(message, parts, "The question is being answered just now.");
  const said = { answer: AnswerKind.DENY, message: message.text };
  const notice = await giveAnswer(posted, said, message.from, parts.port);
  if (notice.alert) tell(message, parts, "", notice.text);
}

/** Says our words, and below them somebody else's: a reason may repeat the command. */
function tell({ chat, message }: ChatMessage, parts: UpdateParts, words: string, reason = ""): void {
  const shown = visible(reason.slice(0, longestReason));
  const below = reason === "" ? [] : [pre(shown)];
  const runs = words === "" || reason === "" ? [plain(words), ...below] : [plain(`${words}\n`), ...below];
  parts.say(chat, { text: richText(runs), replyTo: message });
}
