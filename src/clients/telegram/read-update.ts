/** Somebody tapped a button under a message of the bot. */
export interface Tap {
  readonly kind: "tap";
  readonly id: string;
  readonly from: number;
  readonly chat: number;
  readonly message: number;
  /** When the message was sent, in seconds since 1970. */
  readonly sentAt: number;
  readonly data: string;
}

/** Somebody wrote into a chat, himself: nothing forwarded, no anonymous admin, no channel, no bot. */
export interface ChatMessage {
  readonly kind: "message";
  readonly from: number;
  readonly chat: number;
  readonly message: number;
  readonly sentAt: number;
  readonly text: string;
  /** The message that it replies to. */
  readonly replyTo: number | undefined;
}

/** What the surface understands of an update. */
export type Update = Tap | ChatMessage;

/** An update's number; undefined where there is none. */
export function updateNumber(update: unknown): number | undefined {
  return whole(field(update, "update_id"));
}

/** Reads an update (Bot API, Update). Undefined for everything that is not one of the two, whole and from a person. */
export function readUpdate(update: unknown): Update | undefined {
  const tap = field(update, "callback_query");
  if (tap !== undefined) return readTap(tap);
  return readMessage(field(update, "message"));
}

function readTap(tap: unknown): Tap | undefined {
  const message = field(tap, "message");
  const id = word(field(tap, "id"));
  const data = word(field(tap, "data"));
  const from = person(field(tap, "from"));
  const chat = whole(field(field(message, "chat"), "id"));
  const number = whole(field(message, "message_id"));
  // A message that is too old for the bot to see has the date 0.
  const sentAt = whole(field(message, "date")) ?? 0;
  if (id === undefined || data === undefined || from === undefined || chat === undefined || number === undefined)
    return undefined;
  return { kind: "tap", id, from, chat, message: number, sentAt, data };
}

function readMessage(message: unknown): ChatMessage | undefined {
  const from = person(field(message, "from"));
  const chat = whole(field(field(message, "chat"), "id"));
  const number = whole(field(message, "message_id"));
  const text = word(field(message, "text"));
  const elsewhere = ["sender_chat", "via_bot", "forward_origin", "is_automatic_forward"];
  if (elsewhere.some((name) => field(message, name) !== undefined)) return undefined;
  if (from === undefined || chat === undefined || number === undefined || text === undefined) return undefined;
  const replyTo = whole(field(field(message, "reply_to_message"), "message_id"));
  return { kind: "message", from, chat, message: number, sentAt: whole(field(message, "date")) ?? 0, text, replyTo };
}

/** A user who is no bot. */
function person(user: unknown): number | undefined {
  const id = whole(field(user, "id"));
  return field(user, "is_bot") === false && id !== undefined && id > 0 ? id : undefined;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function whole(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

function word(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= 16_384 ? value : undefined;
}
