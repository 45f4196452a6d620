import { Api, GrammyError, HttpError, InputFile, type RawApi } from "grammy";
import type { ServiceFetch } from "../surface/service-fetch.ts";
import { BotFailure, failureOf } from "./bot-failure.ts";
import type { Keyboard } from "./posted-questions.ts";
import type { RichText } from "./rich-text.ts";

/** The calls of the Bot API that the surface makes. All throw BotFailure. */
export interface BotApi {
  /** The bot's own user name. */
  me(signal: AbortSignal): Promise<string>;
  /** Waits for updates; what comes is not checked. An offset confirms everything before it. */
  updates(offset: number, waitSeconds: number, signal: AbortSignal): Promise<readonly unknown[]>;
  /** Returns the message's number. */
  send(
    chat: number,
    text: RichText,
    keyboard: Keyboard,
    replyTo: number | undefined,
    signal: AbortSignal,
  ): Promise<number>;
  sendFile(chat: number, name: string, content: string, signal: AbortSignal): Promise<void>;
  /** Replaces text and buttons. */
  edit(chat: number, message: number, text: RichText, keyboard: Keyboard, signal: AbortSignal): Promise<void>;
  /** Replaces the buttons. */
  editKeyboard(chat: number, message: number, keyboard: Keyboard, signal: AbortSignal): Promise<void>;
  /** Tells whoever tapped; 200 characters at most. */
  notice(tap: string, text: string, alert: boolean, signal: AbortSignal): Promise<void>;
}

/** Milliseconds for one call. */
const callMs = 20_000;
/** Milliseconds for one call that waits for updates. */
const updatesMs = 90_000;
/** Bytes of a request: a question's whole text is smaller. */
const maxRequestBytes = 4 * 1024 * 1024;
/** Updates of one answer. */
const mostUpdates = 50;

/** The Bot API by grammY, over the surface's own way out. */
export function createBotApi(token: string, apiRoot: string, fetch: ServiceFetch): BotApi {
  // Typed by the package's node-fetch, whose types are not there.
  const options: object = { apiRoot, fetch: grammyFetch(fetch), timeoutSeconds: 120 };
  const { raw } = new Api(token, options);
  const noPreview = { link_preview_options: { is_disabled: true } } as const;
  return {
    me: async (signal) => (await call("getMe", () => raw.getMe(foreign(signal)))).username,
    updates: async (offset, timeout, signal) => {
      const wanted = { offset, timeout, limit: mostUpdates, allowed_updates: ["message", "callback_query"] as const };
      const found: unknown = await call("getUpdates", () => raw.getUpdates(wanted, foreign(signal)));
      if (!Array.isArray(found)) throw new BotFailure("unreachable", "getUpdates: the answer is no list");
      return found.slice(0, mostUpdates) as unknown[];
    },
    send: async (chat, text, keyboard, replyTo, signal) => {
      const sent = await call("sendMessage", () =>
        raw.sendMessage(
          {
            chat_id: chat,
            text: text.text,
            entities: [...text.entities],
            ...noPreview,
            ...(keyboard.length === 0 ? {} : { reply_markup: markup(keyboard) }),
            ...(replyTo === undefined
              ? {}
              : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
          },
          foreign(signal),
        ),
      );
      return sent.message_id;
    },
    sendFile: async (chat, name, content, signal) => {
      const document = new InputFile(Buffer.from(content), name);
      await call("sendDocument", () => raw.sendDocument({ chat_id: chat, document }, foreign(signal)));
    },
    edit: async (chat, message, text, keyboard, signal) => {
      await call("editMessageText", () =>
        raw.editMessageText(
          {
            chat_id: chat,
            message_id: message,
            text: text.text,
            entities: [...text.entities],
            ...noPreview,
            ...(keyboard.length === 0 ? {} : { reply_markup: markup(keyboard) }),
          },
          foreign(signal),
        ),
      );
    },
    editKeyboard: async (chat, message, keyboard, signal) => {
      await call("editMessageReplyMarkup", () =>
        raw.editMessageReplyMarkup(
          { chat_id: chat, message_id: message, reply_markup: markup(keyboard) },
          foreign(signal),
        ),
      );
    },
    notice: async (tap, text, alert, signal) => {
      await call("answerCallbackQuery", () =>
        raw.answerCallbackQuery(
          { callback_query_id: tap, text: text.slice(0, 200), show_alert: alert },
          foreign(signal),
        ),
      );
    },
  };
}

/** grammY wants the signal of a package; it uses of it what the platform's has, too. */
function foreign(signal: AbortSignal): Parameters<RawApi["getMe"]>[0] {
  return signal as unknown as Parameters<RawApi["getMe"]>[0];
}

function markup(keyboard: Keyboard) {
  return { inline_keyboard: keyboard.map((row) => row.map((button) => ({ ...button }))) };
}

async function call<T>(method: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GrammyError)
      throw failureOf(method, error.error_code, error.description, error.parameters.retry_after);
    const cause = error instanceof HttpError ? error.error : error;
    throw new BotFailure(
      "unreachable",
      `${method}: ${cause instanceof Error ? cause.message : "failed"}`,
      undefined,
      cause,
    );
  }
}

/** What grammY calls in place of node-fetch, which would open sockets of its own. */
function grammyFetch(service: ServiceFetch): (url: unknown, init?: RequestInit) => Promise<Response> {
  return async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const { body, headers, status } = await service({
      url: String(url),
      headers: { "content-type": new Headers(init.headers).get("content-type") ?? "application/json" },
      body: await bytesOf(init.body),
      signal: init.signal ?? new AbortController().signal,
      timeoutMs: String(url).endsWith("/getUpdates") ? updatesMs : callMs,
    });
    return new Response(Buffer.from(body), { status, headers: [...headers] });
  };
}

/** A text, or the stream that grammY makes of a file. */
async function bytesOf(body: unknown): Promise<Uint8Array> {
  if (typeof body === "string") return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (typeof body !== "object" || body === null || !(Symbol.asyncIterator in body)) return Buffer.alloc(0);
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxRequestBytes) throw new BotFailure("refused", "the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
