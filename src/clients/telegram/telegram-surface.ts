import type { ServiceFetch } from "../surface/service-fetch.ts";
import { followQuestions } from "../surface/follow-questions.ts";
import { type Patience, usualPatience } from "../surface/pause.ts";
import type { Surface } from "../surface/surface.ts";
import type { SurfaceLog, SurfacePort } from "../surface/surface-port.ts";
import { createSurfaceState } from "../surface/surface-state.ts";
import { createBotApi } from "./bot-api.ts";
import { createChatWorker } from "./chat-worker.ts";
import { commandReply } from "./command-reply.ts";
import { pollUpdates } from "./poll-updates.ts";
import { createPostedQuestions } from "./posted-questions.ts";
import type { Update } from "./read-update.ts";
import { takeUpdate, type UpdateParts } from "./take-update.ts";

/** What the Telegram surface is made of. */
export interface TelegramOptions {
  readonly port: SurfacePort;
  readonly fetch: ServiceFetch;
  readonly token: string;
  readonly apiRoot: string;
  /** Chats that get questions. */
  readonly chats: readonly number[];
  /** Chats in which answers count by the settings of this moment. */
  readonly currentChats: () => readonly number[];
  readonly log: SurfaceLog;
  /** Waits between attempts; a second to a minute where not given. */
  readonly patience?: Patience;
  /** Seconds that one call waits for updates; 25 where not given. */
  readonly waitSeconds?: number;
}

const goodbyeMs = 2000;

/** Puts every question into the chats and takes answers from them. It starts at once and in the background: that Telegram is not there holds up nothing. */
export function startTelegram(options: TelegramOptions): Surface {
  const { port, log, patience = usualPatience, waitSeconds = 25 } = options;
  const api = createBotApi(options.token, options.apiRoot, options.fetch);
  const state = createSurfaceState("telegram", log);
  const posted = createPostedQuestions();
  const stop = new AbortController();
  const cut = new AbortController();
  const { signal } = stop;
  const workers = new Map(
    options.chats.map((chat) => [chat, createChatWorker({ api, chat, posted, log, patience })] as const),
  );
  let botName = "";
  const parts: UpdateParts = {
    api,
    port,
    posted,
    log,
    startedAt: Math.floor(Date.now() / 1000),
    chats: () => options.currentChats().filter((chat) => workers.has(chat)),
    say: (chat, saying) => workers.get(chat)?.say(saying),
    split: (message) => workers.get(message.chat)?.split(message),
    command: (text) => commandReply(text, botName, port),
  };
  const take = async (update: Update): Promise<void> => {
    try {
      await takeUpdate(update, parts, signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "a person in Telegram could not be told");
    }
  };
  const work = Promise.all([
    pollUpdates({ api, state, patience, waitSeconds, named: (name) => (botName = name), take }, signal),
    followQuestions(port, [...workers.values()], { patience, log }, signal),
    ...[...workers.values()].map((worker) => worker.run(signal, cut.signal)),
  ]);
  return {
    name: "telegram",
    state,
    async stop() {
      stop.abort();
      const timer = setTimeout(() => cut.abort(), goodbyeMs);
      await work;
      await Promise.all([...workers.values()].map((worker) => worker.goodbye(cut.signal)));
      clearTimeout(timer);
    },
  };
}
