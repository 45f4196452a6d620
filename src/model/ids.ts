/** Nominal strings, so that a session cannot be passed where an agent is meant. The brand exists only in types. */
type Branded<Name extends string> = string & { readonly __brand: Name };

/** Name of an agent: `local` for the socket's owner without a token, otherwise the name its token was made for. */
export type AgentId = Branded<"AgentId">;
/** Random 128-bit session identifier in base64url. */
export type SessionId = Branded<"SessionId">;
/** Identifier of one admitted or refused request, the key of its audit entries. */
export type EntryId = Branded<"EntryId">;
/** Identifier of one open question to a person. */
export type QuestionId = Branded<"QuestionId">;

const agentName = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Parses an agent name (lower-case letters, digits, `.`, `_`, `-`; 63 characters at most), or returns undefined. */
export function parseAgentId(text: string): AgentId | undefined {
  return agentName.test(text) ? (text as AgentId) : undefined;
}

const opaqueId = /^[A-Za-z0-9_-]{1,64}$/;

/** Parses an identifier that Sallyport itself handed out, or returns undefined. */
export function parseSessionId(text: string): SessionId | undefined {
  return opaqueId.test(text) ? (text as SessionId) : undefined;
}

/** Parses an identifier that Sallyport itself handed out, or returns undefined. */
export function parseEntryId(text: string): EntryId | undefined {
  return opaqueId.test(text) ? (text as EntryId) : undefined;
}

/** Parses an identifier that Sallyport itself handed out, or returns undefined. */
export function parseQuestionId(text: string): QuestionId | undefined {
  return opaqueId.test(text) ? (text as QuestionId) : undefined;
}
