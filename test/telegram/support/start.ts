import { onTestFinished } from "vitest";
import type { Surface } from "../../../src/clients/surface/surface.ts";
import { startTelegram, type TelegramOptions } from "../../../src/clients/telegram/telegram-surface.ts";
import { surfaceFetch } from "../../../src/wiring/surface-fetch.ts";
import { type BotApiServer, type ShownMessage, startBotApi } from "./bot-api-server.ts";
import { type QuestionBoard, questionBoard } from "./question-board.ts";

export const chat = -100_200;
export const admin = 7;

/** The way out as the sidecar makes it: nothing is open but what the settings name. */
export function wayOut(root: string) {
  const rules = { allow: [], ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] };
  const resolve = () => Promise.reject(new Error("no name is looked up here"));
  return surfaceFetch(root, { resolve, rules, ca: undefined, upstream: undefined });
}

/** A surface with its server and its queue; stopped with the test. */
export interface Started {
  readonly server: BotApiServer;
  readonly board: QuestionBoard;
  readonly surface: Surface;
  readonly log: readonly { readonly level: string; readonly facts: object; readonly message: string }[];
  readonly chats: number[];
  /** The message of a question, once it has buttons. */
  readonly shown: (title: string, where?: number) => Promise<ShownMessage>;
  /** Taps the button with this label and gives what the tap was answered with. */
  readonly tap: (
    message: ShownMessage,
    label: string,
    from?: number,
  ) => Promise<{ readonly text: string; readonly alert: boolean }>;
}

/** Starts the surface against a server of its own. */
export async function start(
  options: Partial<TelegramOptions> & { readonly server?: BotApiServer; readonly board?: QuestionBoard } = {},
): Promise<Started> {
  const server = options.server ?? (await startBotApi());
  const board = options.board ?? questionBoard(String(admin));
  const chats = [...(options.chats ?? [chat])];
  const log: { level: string; facts: object; message: string }[] = [];
  const note =
    (level: string) =>
    (facts: object, message: string): void =>
      void log.push({ level, facts, message });
  const surface = startTelegram({
    port: board,
    fetch: wayOut(server.root),
    token: server.token,
    apiRoot: server.root,
    chats,
    currentChats: () => chats,
    log: { info: note("info"), warn: note("warn") },
    patience: { least: 5, most: 50 },
    waitSeconds: 20,
    ...options,
  });
  onTestFinished(() => surface.stop());
  return {
    server,
    board,
    surface,
    log,
    chats,
    shown: (title, where = chat) =>
      server.until(() =>
        server.messages.find((one) => one.chat === where && one.text.includes(title) && one.buttons.length > 0),
      ),
    async tap(message, label, from = admin) {
      const button = message.buttons.find(({ text }) => text === label);
      if (button === undefined)
        throw new Error(`no button ${label}, only ${message.buttons.map(({ text }) => text).join(", ")}`);
      const id = server.tap(message.chat, message.id, button.callback_data, from);
      return server.until(() => server.notices.get(id));
    },
  };
}
