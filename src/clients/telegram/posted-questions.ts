import { randomBytes } from "node:crypto";
import type { Question } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { Action, Buttons } from "./buttons.ts";

/** A row of buttons as the Bot API takes them. */
export type Keyboard = readonly (readonly { readonly text: string; readonly callback_data: string }[])[];

/** What a message of the bot is about. */
export type About =
  | { readonly kind: "question"; readonly question: Question; readonly shownWhole: boolean }
  /** The ones that are open of those that it lists. */
  | { readonly kind: "group"; readonly questions: readonly [Question, ...Question[]] }
  /** A command to copy: whoever replies puts another in its place. */
  | { readonly kind: "to-edit"; readonly question: Question }
  /** What an edited command would do. */
  | { readonly kind: "edited"; readonly question: Question };

/** A message that can be answered. */
export interface Posted {
  readonly chat: number;
  readonly message: number;
  about: About;
  /** True while an answer is on its way: nothing else counts meanwhile. */
  busy: boolean;
  /** What its buttons do, by their callback data. A new keyboard makes those of the one before worthless. */
  actions: ReadonlyMap<string, Action>;
}

/** What is posted, by its messages. It holds as much as there are open questions in chats. */
export interface PostedQuestions {
  /** Adds what was sent. */
  add(posted: Posted): void;
  /** Takes a message out: none of its buttons means anything from then on. */
  remove(posted: Posted): void;
  /** What stands there. Waits for a message that is on its way into the chat: whoever taps may be faster than Telegram's answer to us. */
  find(chat: number, message: number): Promise<Posted | undefined>;
  /** Says that a message is on its way into a chat until the promise settles. */
  sending(chat: number, sent: Promise<unknown>): void;
}

/** Buttons as a keyboard, and what they do. Callback data is 128 random bits, 22 characters of the 64 bytes that there are. */
export function makeKeyboard(buttons: Buttons): {
  readonly keyboard: Keyboard;
  readonly actions: ReadonlyMap<string, Action>;
} {
  const actions = new Map<string, Action>();
  const keyboard = buttons.map((row) =>
    row.map(({ label, action }) => {
      const data = randomBytes(16).toString("base64url");
      actions.set(data, action);
      return { text: label, callback_data: data };
    }),
  );
  return { keyboard, actions };
}

/** Makes an empty table. */
export function createPostedQuestions(): PostedQuestions {
  const messages = new Map<string, Posted>();
  const underWay = new Map<number, Promise<unknown>>();
  const key = (chat: number, message: number): string => `${chat}:${message}`;
  return {
    add: (posted) => void messages.set(key(posted.chat, posted.message), posted),
    remove(posted) {
      posted.actions = new Map();
      messages.delete(key(posted.chat, posted.message));
    },
    async find(chat, message) {
      if (!messages.has(key(chat, message))) await underWay.get(chat)?.catch(() => undefined);
      return messages.get(key(chat, message));
    },
    sending: (chat, sent) => void underWay.set(chat, sent),
  };
}
