import {
  AnswerKind,
  AnswerKindSchema,
  type Question,
  type QuestionClosed,
} from "../../gen/sallyport/v1/approvals_pb.ts";
import { pause, type Patience, waitAfter } from "../surface/pause.ts";
import type { SurfaceLog } from "../surface/surface-port.ts";
import { visible } from "../text/visible.ts";
import { enumWord } from "../text/words.ts";
import type { BotApi } from "./bot-api.ts";
import { BotFailure } from "./bot-failure.ts";
import { makeKeyboard, type Posted, type PostedQuestions } from "./posted-questions.ts";
import { questionText } from "./question-text.ts";
import { cutAt, richText, type RichText, type Run } from "./rich-text.ts";

/** What a chat's worker works with. */
export interface ChatWorkerParts {
  readonly api: BotApi;
  readonly chat: number;
  readonly posted: PostedQuestions;
  readonly log: SurfaceLog;
  readonly patience: Patience;
}

/** Keeps one chat true: what is open stands in it, and what is closed says so. */
export interface ChatWorker {
  opened(question: Question): void;
  closed(closed: QuestionClosed): void;
  /** Says something beside the questions; dropped where much is waiting to be said. */
  say(text: RichText, replyTo: number | undefined): void;
  /** Questions that this chat has not been shown to their end. */
  readonly open: readonly string[];
  /** Works until `stop` aborts, through outages and limits. What is on its way then may arrive until `cut` aborts: its buttons must be known to be taken away. */
  run(stop: AbortSignal, cut: AbortSignal): Promise<void>;
  /** Says of what is open that nobody listens any more, once, as far as the signal lets it. */
  goodbye(signal: AbortSignal): Promise<void>;
}

interface Entry {
  readonly question: Question;
  /** True once anything of it may have been seen. */
  begun: boolean;
  /** Messages that were sent so far, so that a limit in between sends none twice. */
  sent: number;
  posted: Posted | undefined;
  closed: QuestionClosed | undefined;
}

interface Job {
  run(signal: AbortSignal): Promise<void>;
  /** Leaves what can never be done: the question stays open on other surfaces. */
  drop(): void;
}

/** Questions that stand open in a chat at a time; more wait for their place, so that a flood stays readable. */
const mostPosted = 20;
const mostSayings = 8;

/** Makes the worker of one chat. It holds what is open and nothing else. */
export function createChatWorker({ api, chat, posted, log, patience }: ChatWorkerParts): ChatWorker {
  const entries = new Map<string, Entry>();
  const sayings: { readonly text: RichText; readonly replyTo: number | undefined }[] = [];
  let wake = Promise.withResolvers<void>();
  const notify = (): void => wake.resolve();

  /** What is to be done next; undefined: nothing. */
  function next(): Job | undefined {
    const list = [...entries.values()];
    const drop =
      ({ question }: Entry) =>
      (): void =>
        void entries.delete(question.id);
    const over = list.find(({ closed }) => closed !== undefined);
    if (over !== undefined) return { run: (signal) => finish(over, signal), drop: drop(over) };
    const saying = sayings[0];
    if (saying !== undefined)
      return {
        async run(signal) {
          await api.send(chat, saying.text, [], saying.replyTo, signal);
          sayings.shift();
        },
        drop: () => void sayings.shift(),
      };
    if (list.filter((entry) => entry.posted !== undefined).length >= mostPosted) return undefined;
    const waiting = list.find((entry) => entry.posted === undefined);
    return waiting === undefined ? undefined : { run: (signal) => post(waiting, signal), drop: drop(waiting) };
  }

  /** Sends the next message of a question. */
  async function post(entry: Entry, signal: AbortSignal): Promise<void> {
    const { question } = entry;
    const { pages, whole } = questionText(question);
    const files = whole === undefined ? 0 : 1;
    entry.begun = true;
    if (whole !== undefined && entry.sent === 0) await api.sendFile(chat, `question-${question.id}.txt`, whole, signal);
    else {
      const at = entry.sent - files;
      const last = at === pages.length - 1;
      const { keyboard, actions } = makeKeyboard(question, whole === undefined, "first");
      const message = await api.send(chat, richText(pages[at] ?? []), last ? keyboard : [], undefined, signal);
      if (last) {
        entry.posted = { question, chat, message, shownWhole: whole === undefined, busy: false, actions };
        posted.add(entry.posted);
      }
    }
    entry.sent += 1;
  }

  async function finish(entry: Entry, signal: AbortSignal): Promise<void> {
    const { closed } = entry;
    if (entry.posted !== undefined && closed !== undefined) {
      posted.remove(entry.posted);
      await api.edit(chat, entry.posted.message, endText(entry.question, closedWords(closed)), signal);
    }
    entries.delete(entry.question.id);
  }

  return {
    opened(question) {
      if (entries.has(question.id)) return;
      entries.set(question.id, { question, begun: false, sent: 0, posted: undefined, closed: undefined });
      notify();
    },
    closed(closed) {
      const entry = entries.get(closed.id);
      if (entry === undefined) return;
      // What nobody saw needs no end.
      if (!entry.begun) entries.delete(closed.id);
      entry.closed = closed;
      if (entry.posted !== undefined) posted.remove(entry.posted);
      notify();
    },
    say(text, replyTo) {
      if (sayings.length < mostSayings) sayings.push({ text, replyTo });
      notify();
    },
    get open() {
      return [...entries.values()].filter(({ closed }) => closed === undefined).map(({ question }) => question.id);
    },
    async run(stop, cut) {
      const awake = (): void => notify();
      stop.addEventListener("abort", awake);
      for (let failures = 0; !stop.aborted;) {
        wake = Promise.withResolvers();
        const job = next();
        if (job === undefined) {
          await wake.promise;
          continue;
        }
        try {
          const work = job.run(cut);
          posted.sending(chat, work);
          await work;
          failures = 0;
        } catch (error) {
          if (stop.aborted) break;
          failures += 1;
          const failure = error instanceof BotFailure ? error : undefined;
          if (failure?.kind === "refused" || failure === undefined) {
            log.warn({ chat, err: error }, "a message could not be shown in a chat");
            job.drop();
          } else await pause(failure.kind === "limited" ? failure.retryAfterMs : waitAfter(failures, patience), stop);
        }
      }
      stop.removeEventListener("abort", awake);
    },
    async goodbye(signal) {
      const standing = [...entries.values()].flatMap(({ posted: one }) => one ?? []);
      for (const one of standing) posted.remove(one);
      const words = "Sallyport stopped. What still waits is asked again when it is back.";
      await Promise.allSettled(
        standing.map(({ question, message }) => api.edit(chat, message, endText(question, words), signal)),
      );
    },
  };
}

const longestBy = 300;

function closedWords({ answer, by }: QuestionClosed): string {
  const who = visible(by).slice(0, longestBy);
  return answer === AnswerKind.UNSPECIFIED ? who : `${enumWord(AnswerKindSchema, answer)}: ${who}`;
}

/** What a message says when its question is over. */
function endText({ title, agent }: Question, words: string): RichText {
  const shown = visible(title);
  const runs: Run[] = [
    { text: words, style: "bold" },
    { text: "\n", style: "plain" },
    { text: shown.slice(0, cutAt(shown, 1000)), style: "pre" },
    { text: "\n", style: "plain" },
    { text: visible(agent), style: "code" },
  ];
  return richText(runs);
}
