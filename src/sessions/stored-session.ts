import { parseAbsolutePath } from "../model/absolute-path.ts";
import { capabilities } from "../model/effect.ts";
import { parseAgentId, parseSessionId } from "../model/ids.ts";
import { sources, type Rule } from "../model/rule.ts";
import type { Scope } from "../model/scope.ts";
import type { Session } from "../model/session.ts";
import { modes, parseChannel, tiers, type Channel } from "../model/subject.ts";

/** A session with the channel that the connection had which opened it. */
export interface StoredSession {
  readonly session: Session;
  readonly openedOn: Channel;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads what `JSON.stringify` made of a stored session. Undefined where anything in it is not as it should be: it is as if it had never been opened. */
export function parseStoredSession(json: string): StoredSession | undefined {
  try {
    const stored = fields(JSON.parse(json));
    return { session: toSession(fields(stored["session"])), openedOn: must(parseChannel(text(stored["openedOn"]))) };
  } catch {
    return undefined;
  }
}

function toSession(from: Fields): Session {
  const subject = fields(from["subject"]);
  const limits = fields(from["limits"]);
  return {
    subject: {
      agent: must(parseAgentId(text(subject["agent"]))),
      session: must(parseSessionId(text(subject["session"]))),
      channel: must(parseChannel(text(subject["channel"]))),
      role: oneOf(["admin", "member"], subject["role"]),
      tier: oneOf(tiers, subject["tier"]),
      mode: oneOf(modes, subject["mode"]),
      attended: subject["attended"] === true,
    },
    workspace: must(parseAbsolutePath(text(from["workspace"]))),
    scopes: list(from["scopes"]).map(toScope),
    rules: list(from["rules"]).map(toRule),
    image: from["image"] === undefined ? undefined : text(from["image"]),
    limits: {
      memoryBytes: positive(limits["memoryBytes"]),
      cpus: positive(limits["cpus"]),
      pids: positive(limits["pids"]),
      tmpBytes: positive(limits["tmpBytes"]),
      ...(limits["openFiles"] === undefined ? {} : { openFiles: positive(limits["openFiles"]) }),
      ...(limits["fileBytes"] === undefined ? {} : { fileBytes: positive(limits["fileBytes"]) }),
    },
    openedAt: date(from["openedAt"]),
    lastUsedAt: date(from["lastUsedAt"]),
    key: text(from["key"]),
  };
}

function toScope(value: unknown): Scope {
  const from = fields(value);
  return {
    root: must(parseAbsolutePath(text(from["root"]))),
    access: oneOf(["ro", "rw"], from["access"]),
    lasts: oneOf(["once", "session", "always"], from["lasts"]),
    ...(from["expiresAt"] === undefined ? {} : { expiresAt: date(from["expiresAt"]) }),
  };
}

function toRule(value: unknown): Rule {
  const from = fields(value);
  return {
    id: text(from["id"]),
    source: oneOf(sources, from["source"]),
    capability: oneOf([...capabilities, "all", "builtin", "filesystem"], from["capability"]),
    match: list(from["match"]).map(text),
    exclude: list(from["exclude"]).map(text),
    ...(from["methods"] === undefined ? {} : { methods: list(from["methods"]).map(text) }),
    effect: oneOf(["allow", "ask", "deny"], from["effect"]),
    ...(from["because"] === undefined ? {} : { because: text(from["because"]) }),
    ...(from["expiresAt"] === undefined ? {} : { expiresAt: date(from["expiresAt"]) }),
  };
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError("a stored value is not what it should be");
  return value;
}

function fields(value: unknown): Fields {
  if (typeof value !== "object" || value === null) throw new TypeError("not an object");
  return { ...value };
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("not a list");
  return value;
}

function text(value: unknown): string {
  return must(typeof value === "string" ? value : undefined);
}

function positive(value: unknown): number {
  return must(typeof value === "number" && value > 0 ? value : undefined);
}

function date(value: unknown): Date {
  const parsed = new Date(text(value));
  return must(Number.isNaN(parsed.getTime()) ? undefined : parsed);
}

function oneOf<const T extends string>(values: readonly T[], value: unknown): T {
  return must(values.find((known) => known === value));
}
