import type { Question } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { BotApi } from "./bot-api.ts";
import { type Buttons, buttonsFor, buttonsForGroup } from "./buttons.ts";
import { type Entry, type Group, openIn } from "./chat-entry.ts";
import { closedWords, endText } from "./end-text.ts";
import { groupEnd, groupText } from "./group-text.ts";
import { type About, makeKeyboard, type Posted, type PostedQuestions } from "./posted-questions.ts";
import { questionText } from "./question-text.ts";
import { richText, type RichText } from "./rich-text.ts";

/** Something that is said beside the questions. */
export interface Saying {
  readonly text: RichText;
  readonly replyTo: number | undefined;
  /** Where it can be answered: about an open question. */
  readonly aside?: { readonly about: About & { readonly question: Question }; readonly buttons: Buttons };
}

/** What goes into a chat, one message at a time. All throw BotFailure; what was not done can be done again. */
export interface ChatMessages {
  /** Sends the next message of a question. */
  post(entry: Entry, signal: AbortSignal): Promise<void>;
  /** Sends a list, and takes its entries into it. */
  postGroup(group: Group, entries: readonly Entry[], signal: AbortSignal): Promise<void>;
  /** Makes a list say what is. */
  refresh(group: Group, signal: AbortSignal): Promise<void>;
  speak(saying: Saying, entry: Entry | undefined, signal: AbortSignal): Promise<void>;
  /** Says in one message of a question that it is over. */
  end(posted: Posted, words: string, signal: AbortSignal): Promise<void>;
}

/** Makes the writer of one chat. */
export function createChatMessages(api: BotApi, chat: number, table: PostedQuestions): ChatMessages {
  const add = (message: number, about: About, actions: Posted["actions"]): Posted => {
    const posted: Posted = { chat, message, about, busy: false, actions };
    table.add(posted);
    return posted;
  };
  return {
    async post(entry, signal) {
      const { question } = entry;
      const { pages, whole } = questionText(question);
      const shownWhole = whole === undefined;
      entry.begun = true;
      if (!shownWhole && entry.sent === 0) await api.sendFile(chat, `question-${question.id}.txt`, whole, signal);
      else {
        const at = entry.sent - (shownWhole ? 0 : 1);
        const last = at === pages.length - 1;
        const { keyboard, actions } = makeKeyboard(buttonsFor(question, shownWhole, "first"));
        const message = await api.send(chat, richText(pages[at] ?? []), last ? keyboard : [], undefined, signal);
        if (last) entry.posted = add(message, { kind: "question", question, shownWhole }, actions);
      }
      entry.sent += 1;
    },
    async postGroup(group, entries, signal) {
      const [first, ...rest] = group.questions;
      if (first === undefined) return;
      for (const entry of entries) entry.begun = true;
      const { keyboard, actions } = makeKeyboard(buttonsForGroup(group.questions.length));
      const message = await api.send(chat, groupText(group.questions, group.ended), keyboard, undefined, signal);
      group.posted = add(message, { kind: "group", questions: [first, ...rest] }, actions);
      for (const entry of entries) entry.group = group;
    },
    async refresh(group, signal) {
      const { posted, questions, ended } = group;
      if (posted === undefined) return;
      group.stale = false;
      const open = openIn(group);
      try {
        if (group.split || open.length === 0) {
          const words = group.split ? "Each is shown by itself below." : "All of these are answered.";
          await api.edit(chat, posted.message, groupEnd(questions, words, ended), [], signal);
          return;
        }
        const { keyboard, actions } = makeKeyboard(buttonsForGroup(open.length));
        const before = posted.actions;
        // What is tapped meanwhile counts for what is open, too.
        posted.actions = new Map([...before, ...actions]);
        await api.edit(chat, posted.message, groupText(questions, ended), keyboard, signal);
        for (const data of before.keys()) posted.actions = without(posted.actions, data);
      } catch (error) {
        group.stale = true;
        throw error;
      }
    },
    async speak({ text, replyTo, aside }, entry, signal) {
      if (aside === undefined) {
        await api.send(chat, text, [], replyTo, signal);
        return;
      }
      // Its question is over: there is nothing to answer.
      if (entry === undefined || entry.closed !== undefined) return;
      const { keyboard, actions } = makeKeyboard(aside.buttons);
      const message = await api.send(chat, text, keyboard, replyTo, signal);
      entry.asides.push(add(message, aside.about, actions));
    },
    async end(posted, words, signal) {
      table.remove(posted);
      const { about, message } = posted;
      const text = about.kind === "group" ? groupEnd(about.questions, words) : endText(about.question, words);
      await api.edit(chat, message, text, [], signal);
    },
  };
}

/** How a question ended, in the words of its messages. */
export function wordsOfEnd({ closed }: Entry): string {
  return closed === undefined ? "It is over." : closedWords(closed);
}

function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  return new Map([...map].filter(([other]) => other !== key));
}
