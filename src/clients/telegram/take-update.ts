import { create } from "@bufbuild/protobuf";
import { AnswerKind, AnswerRequestSchema } from "../../gen/sallyport/v1/approvals_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import type { SurfaceLog, SurfacePort } from "../surface/surface-port.ts";
import { exhausted } from "../text/exhausted.ts";
import type { BotApi } from "./bot-api.ts";
import type { Action, Menu } from "./buttons.ts";
import { makeKeyboard, type Posted, type PostedQuestions } from "./posted-questions.ts";
import type { ChatMessage, Tap, Update } from "./read-update.ts";
import { richText, type RichText } from "./rich-text.ts";

/** What updates are taken with. */
export interface UpdateParts {
  readonly api: BotApi;
  readonly port: SurfacePort;
  readonly posted: PostedQuestions;
  readonly log: SurfaceLog;
  /** Seconds since 1970: what is older was meant for a Sallyport that is gone. */
  readonly startedAt: number;
  /** Chats that the settings of this moment name. */
  chats(): readonly number[];
  say(chat: number, text: RichText, replyTo: number | undefined): void;
  /** The answer to a command; undefined for a text that is none for this bot. */
  command(text: string): Promise<RichText | undefined>;
}

const longestMessage = 1024;

/** Does what a person tapped or wrote, if he may. @throws BotFailure where he cannot be told; what he wanted was done or refused before. */
export async function takeUpdate(update: Update, parts: UpdateParts, signal: AbortSignal): Promise<void> {
  if (update.kind === "tap") {
    const { text, alert } = await tapped(update, parts, signal);
    await parts.api.notice(update.id, text, alert, signal);
  } else if (parts.chats().includes(update.chat) && parts.port.isAdmin(String(update.from))) await said(update, parts);
}

interface Notice {
  readonly text: string;
  /** True for what must be seen. */
  readonly alert: boolean;
}

async function tapped(tap: Tap, parts: UpdateParts, signal: AbortSignal): Promise<Notice> {
  const refused = (text: string): Notice => ({ text, alert: true });
  if (!parts.chats().includes(tap.chat)) return refused("Questions are not answered in this chat.");
  if (!parts.port.isAdmin(String(tap.from))) {
    parts.log.warn({ user: tap.from, chat: tap.chat }, "somebody who may not answer tapped a button");
    return refused("Only an admin answers. The question stays open.");
  }
  const posted = await parts.posted.find(tap.chat, tap.message);
  const action = posted?.actions.get(tap.data);
  if (posted === undefined || action === undefined) {
    // Buttons from before a restart: they mean nothing any more, so they go.
    if (posted === undefined && tap.sentAt < parts.startedAt)
      await parts.api.editKeyboard(tap.chat, tap.message, [], signal).catch(() => undefined);
    return refused("This button is no longer valid. Nothing was answered.");
  }
  if (posted.busy) return refused("The question is being answered just now.");
  return act(action, posted, tap, parts, signal);
}

async function act(action: Action, posted: Posted, tap: Tap, parts: UpdateParts, signal: AbortSignal): Promise<Notice> {
  switch (action.kind) {
    case "answer":
      return answer(posted, action, "", tap.from, parts);
    case "menu":
      return turn(posted, action.menu, parts, signal);
    case "explain-reply":
      return { text: "Reply to the message: the question is denied, and the agent is told your words.", alert: true };
    default:
      return exhausted(action);
  }
}

/** Shows other buttons. Those before count no more, unless the new ones cannot be shown. */
async function turn(posted: Posted, menu: Menu, { api }: UpdateParts, signal: AbortSignal): Promise<Notice> {
  const before = posted.actions;
  const { keyboard, actions } = makeKeyboard(posted.question, posted.shownWhole, menu);
  posted.actions = actions;
  try {
    await api.editKeyboard(posted.chat, posted.message, keyboard, signal);
  } catch (error) {
    if (posted.actions === actions) posted.actions = before;
    throw error;
  }
  return { text: "", alert: false };
}

async function answer(
  posted: Posted,
  { answer: kind, file, forSeconds }: Pick<Action & { kind: "answer" }, "answer" | "file" | "forSeconds">,
  message: string,
  from: number,
  { port }: UpdateParts,
): Promise<Notice> {
  const request = { questionId: posted.question.id, answer: kind, file, forSeconds, message };
  posted.busy = true;
  try {
    await port.answer(create(AnswerRequestSchema, request), String(from));
    return { text: "Done.", alert: false };
  } catch (error) {
    const why = error instanceof SallyportError ? error.message : "internal error";
    return { text: `Not counted: ${why}`.slice(0, 200), alert: true };
  } finally {
    posted.busy = false;
  }
}

/** A command, or the words of a denial. */
async function said(message: ChatMessage, parts: UpdateParts): Promise<void> {
  const tell = (text: string): void => parts.say(message.chat, richText([{ text, style: "plain" }]), message.message);
  const posted = message.replyTo === undefined ? undefined : await parts.posted.find(message.chat, message.replyTo);
  if (posted !== undefined) {
    if (!posted.question.answers.includes(AnswerKind.DENY)) return tell("This question cannot be denied here.");
    if (Buffer.byteLength(message.text) > longestMessage)
      return tell(`Not counted: the words have more than ${longestMessage} bytes.`);
    if (posted.busy) return tell("The question is being answered just now.");
    const denial = { kind: "answer", answer: AnswerKind.DENY, file: 0, forSeconds: 0 } as const;
    const notice = await answer(posted, denial, message.text, message.from, parts);
    if (notice.alert) tell(notice.text);
    return;
  }
  if (message.sentAt < parts.startedAt) return;
  const reply = await parts.command(message.text);
  if (reply !== undefined) parts.say(message.chat, reply, message.message);
}
