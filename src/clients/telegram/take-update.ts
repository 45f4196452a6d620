import { AnswerKind } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { SurfaceLog, SurfacePort } from "../surface/surface-port.ts";
import { exhausted } from "../text/exhausted.ts";
import type { BotApi } from "./bot-api.ts";
import { type Action, buttonsFor, type Menu } from "./buttons.ts";
import type { Saying } from "./chat-messages.ts";
import { giveAnswer, type Notice } from "./give-answer.ts";
import { offerEdit } from "./offer-edit.ts";
import { makeKeyboard, type Posted, type PostedQuestions } from "./posted-questions.ts";
import type { Tap, Update } from "./read-update.ts";
import { type RichText, richText } from "./rich-text.ts";
import { takeMessage } from "./take-message.ts";

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
  say(chat: number, saying: Saying): void;
  /** Shows every question of a list by itself. */
  split(posted: Posted): void;
  /** The answer to a command; undefined for a text that is none for this bot. */
  command(text: string): Promise<RichText | undefined>;
}

/** Does what a person tapped or wrote, if he may. @throws BotFailure where he cannot be told; what he wanted was done or refused before. */
export async function takeUpdate(update: Update, parts: UpdateParts, signal: AbortSignal): Promise<void> {
  if (update.kind === "tap") {
    const { text, alert } = await tapped(update, parts, signal);
    await parts.api.notice(update.id, text, alert, signal);
  } else if (parts.chats().includes(update.chat) && parts.port.isAdmin(String(update.from)))
    await takeMessage(update, parts);
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
      return giveAnswer(posted, action, tap.from, parts.port);
    case "allow-edited": {
      const { edited, plan } = action;
      return giveAnswer(posted, { answer: AnswerKind.EDIT_AND_ALLOW, edited, plan }, tap.from, parts.port);
    }
    case "menu":
      return turn(posted, action.menu, parts, signal);
    case "explain-reply":
      return { text: "Reply to the message: the question is denied, and the agent is told your words.", alert: true };
    case "edit":
      if (posted.about.kind === "question") offerEdit(posted.about.question, posted, parts);
      return { text: "Copy the command from the next message, and reply to that with yours.", alert: false };
    case "drop":
      parts.posted.remove(posted);
      await parts.api.edit(posted.chat, posted.message, notUsed, [], signal);
      return { text: "", alert: false };
    case "split":
      parts.split(posted);
      return { text: "", alert: false };
    default:
      return exhausted(action);
  }
}

const notUsed = richText([{ text: "Not used. The question above is open.", style: "plain" }]);

/** Shows other buttons. Those before count no more, unless the new ones cannot be shown. */
async function turn(posted: Posted, menu: Menu, { api }: UpdateParts, signal: AbortSignal): Promise<Notice> {
  const { about, actions: before } = posted;
  if (about.kind !== "question") return { text: "", alert: false };
  const { keyboard, actions } = makeKeyboard(buttonsFor(about.question, about.shownWhole, menu));
  posted.actions = actions;
  try {
    await api.editKeyboard(posted.chat, posted.message, keyboard, signal);
  } catch (error) {
    if (posted.actions === actions) posted.actions = before;
    throw error;
  }
  return { text: "", alert: false };
}
