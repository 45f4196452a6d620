import type { Metadata } from "@grpc/grpc-js";
import { parseAgentId } from "../../model/ids.ts";
import { Problem } from "../../model/problem.ts";
import { type Caller, parseChannel } from "../../model/subject.ts";
import type { Awaitable } from "../ports/awaitable.ts";
import type { Tokens } from "../ports/people.ts";

/** The kinds of listener. A listener is told what it is when it is made; nothing is read off a connection, which may already be gone. */
export type ListenerKind = "socket" | "tcp";

/** The agent's name of the socket's owner. No token is ever made for it. */
export const localAgent = "local";

/** Longest bearer token that is looked at. */
const maxToken = 512;
/** RFC 6750 section 2.1: `b64token`. */
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Makes what proves the callers of one listener.
 *
 * The file mode of the unix socket proves its owner: without a token that is the local admin. A token names an agent on every listener; a
 * wrong one is refused, never ignored, so that a process with a revoked token cannot become the admin by using it on the socket.
 */
export function identifier(kind: ListenerKind, tokens: Tokens): (metadata: Metadata) => Awaitable<Caller> {
  const owner: Caller = {
    agent: known(parseAgentId(localAgent)),
    channel: known(parseChannel(kind)),
    role: "admin",
    isAgent: false,
    tier: "full",
  };
  return (metadata) => {
    const values = metadata.get("authorization");
    if (values.length > 0) return byToken(values, owner, tokens);
    if (kind === "socket") return owner;
    throw new Problem("unauthenticated", "this listener needs a token: send `authorization: Bearer TOKEN`");
  };
}

async function byToken(values: readonly (string | Buffer)[], owner: Caller, tokens: Tokens): Promise<Caller> {
  const [value] = values;
  const token = values.length === 1 && typeof value === "string" ? bearer.exec(value)?.[1] : undefined;
  if (token === undefined || token.length > maxToken)
    throw new Problem("unauthenticated", "authorization: must be one `Bearer TOKEN`");
  const found = await tokens.authenticate(token);
  if (found === undefined || found.agent === owner.agent)
    throw new Problem("unauthenticated", "the token is unknown or was revoked");
  return { agent: found.agent, channel: owner.channel, role: "member", isAgent: true, tier: found.tier };
}

function known<T>(parsed: T | undefined): T {
  if (parsed === undefined) throw new Error("a built-in name does not parse");
  return parsed;
}
