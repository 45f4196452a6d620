import { z } from "zod";
import { isServiceUrl } from "./address-text.ts";
import { section, tcpListener, text } from "./schema-parts.ts";

const serviceUrl = text
  .max(2048, "is longer than 2048 characters")
  .refine(isServiceUrl, "must be https://HOST[:PORT][/PATH], or http:// with a loopback address");

function identifiers(what: string, least: number) {
  const message = `must be the number of a ${what}`;
  return z.int({ error: message }).min(least, message).max(Number.MAX_SAFE_INTEGER, message);
}

/** Questions in Telegram. A group's number is negative. */
export const telegramSection = section({
  chats: z
    .array(
      identifiers("chat", -Number.MAX_SAFE_INTEGER).refine((id) => id !== 0, "must be the number of a chat"),
      { error: "must be a list" },
    )
    .min(1, "must name a chat")
    .max(16, "holds more than 16 chats"),
  admins: z.array(identifiers("user", 1), { error: "must be a list" }).max(64, "holds more than 64 users"),
  api_root: serviceUrl.default("https://api.telegram.org"),
});

/** Questions to a program of the user's own. Identifiers of people are lower case, as names in the record are. */
export const webhookSection = section({
  url: serviceUrl,
  listen: tcpListener.optional(),
  admins: z
    .array(text.regex(/^[a-z0-9][a-z0-9._-]{0,47}$/, "must be lower-case letters, digits, `.`, `_`, `-`; 48 at most"), {
      error: "must be a list",
    })
    .max(64, "holds more than 64 people")
    .default([]),
});
