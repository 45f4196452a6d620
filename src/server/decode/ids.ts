import {
  type AgentId,
  type EntryId,
  parseAgentId,
  parseEntryId,
  parseQuestionId,
  type QuestionId,
} from "../../model/ids.ts";
import { invalid } from "../../model/problem.ts";
import { type Channel, parseChannel } from "../../model/subject.ts";
import { localAgent } from "../interceptors/identify.ts";

function parsed<T>(field: string, what: string, value: T | undefined): T {
  if (value === undefined) throw invalid(field, `is no ${what}`);
  return value;
}

/** An entry's identifier, also that of a running command. @throws Problem `invalid_argument`. */
export function decodeEntryId(field: string, text: string): EntryId {
  return parsed(field, "identifier", parseEntryId(text));
}

/** A question's identifier. @throws Problem `invalid_argument`. */
export function decodeQuestionId(field: string, text: string): QuestionId {
  return parsed(field, "identifier", parseQuestionId(text));
}

/** An agent's name. @throws Problem `invalid_argument`. */
export function decodeAgentId(field: string, text: string): AgentId {
  return parsed(field, "agent's name (lower-case letters, digits, `.`, `_`, `-`; 63 at most)", parseAgentId(text));
}

/** The name of an agent that may have tokens: not that of the socket's owner. @throws Problem `invalid_argument`. */
export function decodeTokenAgent(field: string, text: string): AgentId {
  if (text === localAgent) throw invalid(field, `\`${localAgent}\` is the owner of the socket and has no tokens`);
  return decodeAgentId(field, text);
}

/** A channel's name. @throws Problem `invalid_argument`. */
export function decodeChannel(field: string, text: string): Channel {
  return parsed(
    field,
    "channel's name (lower-case letters, digits, `.`, `_`, `:`, `-`; 63 at most)",
    parseChannel(text),
  );
}
