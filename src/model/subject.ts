import type { AgentId, SessionId } from "./ids.ts";

/** How far an unattended agent may ever go; each tier holds the ones before it. No lead, grant or mode lifts it. */
export type Tier = "read-only" | "builder" | "operator" | "full";

/** How an `ask` is settled in one session on one channel (design, section 5). */
export type Mode = "supervised" | "ask" | "autopilot" | "allow-all";

/** Where a request came from: `socket`, `tcp`, `web`, `telegram`, or a name that the client gave its session. Modes never cross channels. */
export type Channel = string & { readonly __brand: "Channel" };

/** Admins answer questions and widen permissions; members may only ask. */
export type Role = "admin" | "member";

/** Who is asking, as proven by the connection: an identity before it is bound to a session. */
export interface Caller {
  readonly agent: AgentId;
  readonly channel: Channel;
  readonly role: Role;
  /** True where a bearer token named an agent. An agent's credential never answers a question. */
  readonly isAgent: boolean;
  readonly tier: Tier;
}

/** Who is asking, in which session. */
export interface Subject {
  readonly agent: AgentId;
  readonly session: SessionId;
  readonly channel: Channel;
  readonly role: Role;
  readonly tier: Tier;
  readonly mode: Mode;
  /** False where nobody can be asked: every ask becomes a denial that names what is missing. */
  readonly attended: boolean;
}

/** All tiers, the narrowest first. */
export const tiers: readonly Tier[] = ["read-only", "builder", "operator", "full"];
/** All modes, the strictest first. */
export const modes: readonly Mode[] = ["supervised", "ask", "autopilot", "allow-all"];

const channelName = /^[a-z0-9][a-z0-9._:-]{0,62}$/;

/** Parses a channel name (lower-case letters, digits, `.`, `_`, `:`, `-`; 63 characters at most), or returns undefined. */
export function parseChannel(text: string): Channel | undefined {
  return channelName.test(text) ? (text as Channel) : undefined;
}
