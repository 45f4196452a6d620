import { setImmediate } from "node:timers/promises";
import type { Question, QuestionClosed } from "../../gen/sallyport/v1/approvals_pb.ts";
import { pause, type Patience, waitWanted } from "../surface/pause.ts";
import type { SurfaceLog } from "../surface/surface-port.ts";
import type { BotApi } from "./bot-api.ts";
import { BotFailure } from "./bot-failure.ts";
import { type Entry, type Group, newEntry, openIn } from "./chat-entry.ts";
import { createChatMessages, type Saying, wordsOfEnd } from "./chat-messages.ts";
import { listable, mayList } from "./group-text.ts";
import type { Posted, PostedQuestions } from "./posted-questions.ts";

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
  say(saying: Saying): void;
  /** Shows every question of a list by itself. */
  split(posted: Posted): void;
  /** Questions that this chat has not been shown to their end. */
  readonly open: readonly string[];
  /** Works until `stop` aborts, through outages and limits. What is on its way then may arrive until `cut` aborts: its buttons must be known to be taken away. */
  run(stop: AbortSignal, cut: AbortSignal): Promise<void>;
  /** Says of what is open that nobody listens any more, once, as far as the signal lets it. */
  goodbye(signal: AbortSignal): Promise<void>;
}

interface Job {
  run(signal: AbortSignal): Promise<void>;
  /** Leaves what can never be done: the question stays open on other surfaces. */
  drop(): void;
}

/** Questions and lists that stand open in a chat at a time; more wait for their place, so that a flood stays readable. */
const mostPosted = 20;
const mostSayings = 8;

/** Makes the worker of one chat. It holds what is open and nothing else. */
export function createChatWorker({ api, chat, posted, log, patience }: ChatWorkerParts): ChatWorker {
  const messages = createChatMessages(api, chat, posted);
  const entries = new Map<string, Entry>();
  const groups = new Set<Group>();
  const sayings: Saying[] = [];
  let wake = Promise.withResolvers<void>();
  const notify = (): void => wake.resolve();

  /** What is to be done next; undefined: nothing. */
  function next(): Job | undefined {
    for (const entry of entries.values()) leaveGroup(entry);
    const list = [...entries.values()];
    const over = list.find(({ closed }) => closed !== undefined);
    if (over !== undefined) return ending(over);
    const stale = [...groups].find((group) => group.stale);
    if (stale !== undefined) return refreshing(stale);
    const [saying] = sayings;
    if (saying !== undefined) return speaking(saying);
    const standing = list.filter((entry) => entry.posted !== undefined).length + groups.size;
    return standing >= mostPosted ? undefined : posting(list);
  }

  function ending(entry: Entry): Job {
    const aside = entry.asides.at(-1);
    const message = aside ?? entry.posted;
    const done = (): void => {
      if (aside === undefined) entries.delete(entry.question.id);
      else entry.asides.pop();
    };
    return {
      async run(signal) {
        if (message !== undefined) await messages.end(message, wordsOfEnd(entry), signal);
        done();
      },
      drop: done,
    };
  }

  function refreshing(group: Group): Job {
    const done = (): void => {
      group.stale = false;
      if (group.split || openIn(group).length === 0) groups.delete(group);
    };
    return {
      async run(signal) {
        await messages.refresh(group, signal);
        if (!group.stale) done();
      },
      drop: done,
    };
  }

  function speaking(saying: Saying): Job {
    const done = (): void => void sayings.shift();
    return {
      async run(signal) {
        await messages.speak(saying, entries.get(saying.aside?.about.question.id ?? ""), signal);
        done();
      },
      drop: done,
    };
  }

  function posting(list: readonly Entry[]): Job | undefined {
    const waiting = list.filter((entry) => entry.posted === undefined && entry.group === undefined);
    const [first] = waiting;
    if (first === undefined) return undefined;
    const alike = waiting.filter((entry) => mayTogether(entry) && entry.question.group === first.question.group);
    // The oldest is shown first, in a list or by itself.
    const fitting = mayTogether(first) ? listable(alike.map(({ question }) => question)) : undefined;
    if (fitting === undefined)
      return { run: (signal) => messages.post(first, signal), drop: () => void entries.delete(first.question.id) };
    const group: Group = { questions: fitting, ended: new Map(), posted: undefined, stale: false, split: false };
    const members = alike.filter(({ question }) => fitting.includes(question));
    return {
      async run(signal) {
        await messages.postGroup(group, members, signal);
        groups.add(group);
      },
      drop() {
        for (const entry of members) entry.alone = true;
      },
    };
  }

  /** Takes what is over out of its list: an answer for all is not about it any more. */
  function leaveGroup(entry: Entry): void {
    const { closed, group, question } = entry;
    if (closed === undefined || group?.posted === undefined) return;
    group.ended.set(question.id, closed);
    group.stale = true;
    entries.delete(question.id);
    const [first, ...rest] = openIn(group);
    if (first === undefined) posted.remove(group.posted);
    else group.posted.about = { kind: "group", questions: [first, ...rest] };
  }

  return {
    opened(question) {
      if (entries.has(question.id)) return;
      entries.set(question.id, newEntry(question));
      notify();
    },
    closed(closed) {
      const entry = entries.get(closed.id);
      if (entry === undefined) return;
      // What nobody saw needs no end.
      if (!entry.begun) entries.delete(closed.id);
      entry.closed = closed;
      for (const one of [entry.posted, ...entry.asides]) if (one !== undefined) posted.remove(one);
      leaveGroup(entry);
      notify();
    },
    say(saying) {
      if (sayings.length < mostSayings) sayings.push(saying);
      notify();
    },
    split(message) {
      posted.remove(message);
      for (const group of groups) {
        if (group.posted !== message) continue;
        group.split = true;
        group.stale = true;
        for (const entry of entries.values())
          if (entry.group === group) {
            entry.group = undefined;
            entry.alone = true;
          }
      }
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
          // What comes at once is seen at once: a list instead of many messages.
          await setImmediate();
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
          } else await pause(waitWanted(failure.wantedMs, failures, patience), stop);
        }
      }
      stop.removeEventListener("abort", awake);
    },
    async goodbye(signal) {
      const standing = [
        ...[...groups].flatMap((group) => group.posted ?? []),
        ...[...entries.values()].flatMap((entry) => [
          ...entry.asides,
          ...(entry.posted === undefined ? [] : [entry.posted]),
        ]),
      ];
      for (const one of standing) posted.remove(one);
      const words = "Sallyport stopped. What still waits is asked again when it is back.";
      await Promise.allSettled(standing.map((one) => messages.end(one, words, signal)));
    },
  };
}

function mayTogether({ alone, sent, question }: Entry): boolean {
  return !alone && sent === 0 && mayList(question);
}
