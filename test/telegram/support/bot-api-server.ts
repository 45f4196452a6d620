import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

/** A message as a chat shows it. */
export interface ShownMessage {
  readonly id: number;
  readonly chat: number;
  text: string;
  entities: readonly { readonly type: string; readonly offset: number; readonly length: number }[];
  /** Labels and callback data of its buttons. */
  buttons: readonly { readonly text: string; readonly callback_data: string }[];
  file: { readonly name: string; readonly content: string } | undefined;
  replyTo: number | undefined;
}

/** A call that was made. */
export interface ApiCall {
  readonly method: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How the next calls of a method end. */
export interface Fault {
  readonly code: number;
  readonly retryAfter?: number;
  /** `drop`: the connection is cut; `garbage`: the answer is no JSON; `late`: it was done, but the answer is cut. */
  readonly how?: "drop" | "garbage" | "late";
}

/** A server that speaks as much of the Bot API as the surface needs, on loopback. */
export interface BotApiServer {
  readonly root: string;
  readonly token: string;
  readonly messages: readonly ShownMessage[];
  readonly calls: readonly ApiCall[];
  /** What taps were answered with, by the tap's identifier. */
  readonly notices: ReadonlyMap<string, { readonly text: string; readonly alert: boolean }>;
  /** The next calls of the method end so. */
  fail(method: string, ...faults: Fault[]): void;
  /** Taps a button by its callback data; returns the tap's identifier. */
  tap(chat: number, message: number, data: string, from: number, extra?: object): string;
  /** Writes into a chat; returns the message's number. */
  write(chat: number, text: string, from: number, extra?: object): number;
  /** Puts an update in as it is. */
  push(update: object): void;
  /** Hands out everything again from this number, as after a lost confirmation. */
  replay(from: number): void;
  /** Resolves when the condition holds; looked at after every call. */
  until<T>(condition: () => T | undefined | false): Promise<T>;
  close(): Promise<void>;
}

const admin = { first_name: "A", is_bot: false };

/** Starts the server; ended with the test. */
export async function startBotApi(port = 0): Promise<BotApiServer> {
  const token = "123456:AAabcdefghijklmnopqrstuvwxyz0123456";
  const messages: ShownMessage[] = [];
  const calls: ApiCall[] = [];
  const notices = new Map<string, { text: string; alert: boolean }>();
  const faults = new Map<string, Fault[]>();
  const updates: { update_id: number }[] = [];
  const conditions = new Set<() => void>();
  let confirmed = 0;
  let sequence = 100;
  let poll: { wake(): void; conflict(): void } | undefined;
  const look = (): void => {
    for (const condition of conditions) condition();
  };
  const push = (update: object): void => {
    sequence += 1;
    updates.push({ update_id: sequence, ...update });
    poll?.wake();
  };
  const found = (chat: unknown, id: unknown): ShownMessage => {
    const message = messages.find((one) => one.chat === chat && one.id === id);
    if (message === undefined) throw new ApiFault(400, "Bad Request: message to edit not found");
    return message;
  };
  const methods: Record<string, (payload: Record<string, unknown>) => unknown> = {
    getMe: () => ({ id: 1, is_bot: true, first_name: "S", username: "sallyport_test_bot" }),
    sendMessage(payload) {
      const text = checkedText(payload);
      const message = add(Number(payload["chat_id"]), text, payload);
      return { message_id: message.id, date: now(), chat: { id: message.chat }, text };
    },
    editMessageText(payload) {
      const message = found(payload["chat_id"], payload["message_id"]);
      message.text = checkedText(payload);
      message.entities = entitiesOf(payload);
      message.buttons = buttonsOf(payload);
      return true;
    },
    editMessageReplyMarkup(payload) {
      const message = messages.find((one) => one.chat === payload["chat_id"] && one.id === payload["message_id"]);
      if (message !== undefined) message.buttons = buttonsOf(payload);
      return true;
    },
    answerCallbackQuery(payload) {
      const text = payload["text"] as string;
      if (text.length > 200) throw new ApiFault(400, "Bad Request: MESSAGE_TOO_LONG");
      notices.set(payload["callback_query_id"] as string, { text, alert: payload["show_alert"] === true });
      return true;
    },
    sendDocument(payload) {
      const message = add(Number(payload["chat_id"]), "", payload);
      message.file = payload["file"] as ShownMessage["file"];
      return { message_id: message.id, date: now(), chat: { id: message.chat } };
    },
  };
  function add(chat: number, text: string, payload: Record<string, unknown>): ShownMessage {
    const reply = payload["reply_parameters"] as { message_id: number } | undefined;
    const message: ShownMessage = {
      id: messages.length + 1,
      chat,
      text,
      entities: entitiesOf(payload),
      buttons: buttonsOf(payload),
      file: undefined,
      replyTo: reply?.message_id,
    };
    messages.push(message);
    return message;
  }

  async function updatesFor(payload: Record<string, unknown>, request: IncomingMessage): Promise<unknown> {
    const offset = Number(payload["offset"] ?? 0);
    confirmed = Math.max(confirmed, offset);
    // A second poller ends the first (Bot API, getUpdates).
    poll?.conflict();
    const ready = (): object[] =>
      updates.filter(({ update_id: id }) => id >= offset).slice(0, Number(payload["limit"]));
    if (ready().length === 0 && Number(payload["timeout"]) > 0) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const own = {
        wake: resolve,
        conflict: () => reject(new ApiFault(409, "Conflict: terminated by other getUpdates request")),
      };
      poll = own;
      request.socket.once("close", resolve);
      const timer = setTimeout(resolve, Number(payload["timeout"]) * 1000);
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        if (poll === own) poll = undefined;
      }
    }
    return ready();
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, secret, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    const body = await bodyOf(request);
    const say = (status: number, answer: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
      look();
    };
    const fault = faults.get(method)?.shift();
    if (fault?.how === "drop") return void request.socket.destroy();
    if (fault?.how === "garbage") return void response.writeHead(fault.code).end("<html>");
    try {
      if (secret !== token) throw new ApiFault(401, "Unauthorized");
      const payload = payloadOf(request, body);
      calls.push({ method, payload });
      if (fault !== undefined && fault.how !== "late") throw new ApiFault(fault.code, "told to fail", fault.retryAfter);
      const run = methods[method];
      if (run === undefined && method !== "getUpdates") throw new ApiFault(404, "Not Found");
      const result = run === undefined ? await updatesFor(payload, request) : run(payload);
      if (fault?.how === "late") return void request.socket.destroy();
      say(200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof ApiFault)) throw error;
      const parameters = error.retryAfter === undefined ? {} : { parameters: { retry_after: error.retryAfter } };
      say(error.code, { ok: false, error_code: error.code, description: error.message, ...parameters });
    }
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(close);
  return {
    root: `http://127.0.0.1:${address.port}`,
    token,
    messages,
    calls,
    notices,
    fail: (method, ...list) => void faults.set(method, [...(faults.get(method) ?? []), ...list]),
    tap(chat, message, data, from, extra = {}) {
      const id = `tap-${sequence + 1}`;
      push({
        callback_query: {
          id,
          from: { ...admin, id: from },
          message: { message_id: message, chat: { id: chat }, date: now() },
          data,
          ...extra,
        },
      });
      return id;
    },
    write(chat, text, from, extra = {}) {
      const id = 10_000 + sequence;
      push({
        message: { message_id: id, chat: { id: chat }, from: { ...admin, id: from }, date: now(), text, ...extra },
      });
      return id;
    },
    push,
    replay(from) {
      sequence += 1;
      for (const update of updates.filter(({ update_id: id }) => id >= from)) updates.push({ ...update });
      poll?.wake();
    },
    until(condition) {
      return new Promise((resolve) => {
        const check = (): void => {
          const value = condition();
          if (value === undefined || value === false) return;
          conditions.delete(check);
          resolve(value);
        };
        conditions.add(check);
        check();
      });
    },
    close,
  };
}

class ApiFault extends Error {
  readonly code: number;
  readonly retryAfter: number | undefined;
  constructor(code: number, message: string, retryAfter?: number) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** JSON, or the parts of a form with one file. */
function payloadOf(request: IncomingMessage, body: Buffer): Record<string, unknown> {
  const type = request.headers["content-type"] ?? "";
  const boundary = /boundary=(.+)$/.exec(type)?.[1];
  if (boundary === undefined) return JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  const payload: Record<string, unknown> = {};
  for (const part of body.toString("utf8").split(`--${boundary}`)) {
    const [head = "", ...rest] = part.split("\r\n\r\n");
    const name = /name="([^"]*)"/.exec(head)?.[1];
    const content = rest.join("\r\n\r\n").replace(/\r\n$/, "");
    const file = /filename=([^\r\n]*)/.exec(head)?.[1];
    if (file !== undefined) payload["file"] = { name: file.replaceAll('"', ""), content };
    else if (name !== undefined) payload[name] = content;
  }
  return payload;
}

function checkedText(payload: Record<string, unknown>): string {
  const text = payload["text"];
  if ("parse_mode" in payload) throw new ApiFault(400, "the surface must use no parse mode");
  if (typeof text !== "string" || text.trim() === "") throw new ApiFault(400, "Bad Request: message text is empty");
  if (text.length > 4096) throw new ApiFault(400, "Bad Request: message is too long");
  if (!text.isWellFormed()) throw new ApiFault(400, "Bad Request: text must be encoded in UTF-8");
  for (const { offset, length } of entitiesOf(payload))
    if (offset < 0 || length < 1 || offset + length > text.length) throw new ApiFault(400, "Bad Request: entity");
  return text;
}

function entitiesOf(payload: Record<string, unknown>): ShownMessage["entities"] {
  return (payload["entities"] ?? []) as ShownMessage["entities"];
}

function buttonsOf(payload: Record<string, unknown>): ShownMessage["buttons"] {
  const markup = payload["reply_markup"] as { inline_keyboard: ShownMessage["buttons"][] } | undefined;
  const buttons = (markup?.inline_keyboard ?? []).flat();
  for (const { callback_data: data } of buttons)
    if (Buffer.byteLength(data) > 64) throw new ApiFault(400, "Bad Request: BUTTON_DATA_INVALID");
  return buttons;
}
