/**
 * Why a call of the Bot API failed. `refused`: this call never succeeds. `conflict`: another program takes the updates. `unauthorized`: the token counts no more.
 * `limited`: too many calls, come back after a time. `unreachable`: anything else, which may pass.
 */
export type FailureKind = "refused" | "conflict" | "unauthorized" | "limited" | "unreachable";

/** A call that failed. The message holds no token. */
export class BotFailure extends Error {
  readonly kind: FailureKind;
  /** How long Telegram wants to be left alone, in milliseconds; undefined where it did not say. */
  readonly wantedMs: number | undefined;

  constructor(kind: FailureKind, message: string, wantedMs?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "BotFailure";
    this.kind = kind;
    this.wantedMs = wantedMs;
  }
}

/** Longest wait that a server may ask for, in seconds. */
const longestWait = 900;

/** The failure that an error of the Bot API means (its `error_code` is an HTTP status). */
export function failureOf(method: string, code: number, description: string, retryAfter: unknown): BotFailure {
  const message = `${method}: ${code} ${description.slice(0, 200)}`;
  if (code === 429) {
    const seconds = typeof retryAfter === "number" && retryAfter > 0 ? Math.min(retryAfter, longestWait) : 5;
    return new BotFailure("limited", message, seconds * 1000);
  }
  if (code === 409) return new BotFailure("conflict", message);
  // The Bot API says 404 for a token in a form that it does not know.
  if (code === 401 || code === 404) return new BotFailure("unauthorized", message);
  return new BotFailure(code >= 400 && code < 500 ? "refused" : "unreachable", message);
}
