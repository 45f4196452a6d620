import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { parseAgentId, type AgentId } from "../model/ids.ts";
import { invalid, Problem } from "../model/problem.ts";
import { tiers, type Tier } from "../model/subject.ts";
import { createUsage, type Use } from "./usage.ts";

/** An agent with tokens, or that had some. */
export interface Agent {
  readonly name: AgentId;
  readonly tier: Tier;
  /** When its first token was made. */
  readonly createdAt: Date;
  /** Valid tokens. */
  readonly tokens: number;
}

/** Agents, their tokens and what they have used. Who may call what is for the caller to check. */
export interface Agents {
  /** Sorted by name. */
  list(): readonly Agent[];
  /**
   * Makes a token and returns it, this once. `tier` undefined: read-only for a new agent, unchanged for a known one; otherwise it holds for all its tokens.
   * @throws Problem `invalid_argument` for the name of the socket's owner, `resource_exhausted`.
   */
  createToken(agent: AgentId, tier?: Tier): string;
  /** Makes all tokens of an agent invalid; returns how many there were. @throws Problem `not_found`. */
  revokeTokens(agent: AgentId): number;
  /** Whose token it is; undefined for one that is unknown or revoked. */
  authenticate(token: string): { readonly agent: AgentId; readonly tier: Tier } | undefined;
  /** What the agent may do at most, with the tokens that it has now; read-only for one that has none or is unknown. */
  tierOf(agent: AgentId): Tier;
  /** Adds to what an agent has used. Never throws: what cannot be stored is stored with the next. */
  count(agent: AgentId, use: Partial<Use>): void;
  /** @throws Problem `not_found`. */
  usage(agent: AgentId): Use;
  /** Stores the counts now; for the end. */
  flush(): void;
}

const schema = `
  CREATE TABLE IF NOT EXISTS agents (name TEXT PRIMARY KEY, tier TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, agent TEXT NOT NULL REFERENCES agents (name), hash BLOB NOT NULL) STRICT;
`;

/** Name of the socket's owner without a token: an agent of this name would be taken for him. */
const local = "local";
const mostAgents = 1000;
const mostTokens = 16;

/** `sallyport_`, a public identifier of 64 bits, a secret of 256 bits. */
const form = /^sallyport_([A-Za-z0-9_-]{11})[A-Za-z0-9_-]{43}$/;
const nobody = Buffer.alloc(32);

/** Prepares the registry in `agents.db`. @throws the store's error. */
export function createAgents(options: { readonly database: DatabaseSync; readonly clock: () => Date }): Agents {
  const { database, clock } = options;
  database.exec(schema);
  const usage = createUsage(database);
  const all = database.prepare(
    "SELECT name, tier, created_at, (SELECT count(*) FROM tokens WHERE agent = name) AS tokens FROM agents ORDER BY name",
  );
  const byName = database.prepare(
    "SELECT tier, (SELECT count(*) FROM tokens WHERE agent = name) AS tokens FROM agents WHERE name = ?",
  );
  const byToken = database.prepare("SELECT name, tier, hash FROM tokens JOIN agents ON name = agent WHERE id = ?");
  const insertAgent = database.prepare(
    "INSERT INTO agents VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET tier = excluded.tier",
  );
  const insertToken = database.prepare("INSERT INTO tokens VALUES (?, ?, ?)");
  const deleteTokens = database.prepare("DELETE FROM tokens WHERE agent = ?");
  const list = (): readonly Agent[] => all.all().flatMap(toAgent);

  return {
    list,
    createToken(agent, tier) {
      if (agent === local) throw invalid("agent", `${local} is the socket's owner`);
      const known = byName.get(agent);
      if (known === undefined && list().length >= mostAgents)
        throw new Problem("resource_exhausted", `there are ${mostAgents} agents`);
      if (Number(known?.["tokens"] ?? 0) >= mostTokens)
        throw new Problem("resource_exhausted", `${agent} has ${mostTokens} tokens: revoke them first`);
      const id = randomBytes(8).toString("base64url");
      const token = `sallyport_${id}${randomBytes(32).toString("base64url")}`;
      // The agent first: should the token not be stored, an agent without one is harmless.
      insertAgent.run(agent, tier ?? toTier(known?.["tier"]) ?? "read-only", clock().getTime());
      insertToken.run(id, agent, hash(token));
      return token;
    },
    revokeTokens(agent) {
      if (byName.get(agent) === undefined) throw new Problem("not_found", `there is no agent ${agent}`);
      return Number(deleteTokens.run(agent).changes);
    },
    authenticate(token) {
      const id = form.exec(token)?.[1];
      if (id === undefined) return undefined;
      const row = byToken.get(id);
      const stored = row?.["hash"];
      const expected = stored instanceof Uint8Array && stored.length === nobody.length ? stored : nobody;
      // Compared in constant time, and compared also where the identifier is unknown.
      if (!timingSafeEqual(hash(token), expected)) return undefined;
      const agent = parseAgentId(String(row?.["name"]));
      const tier = toTier(row?.["tier"]);
      return agent === undefined || tier === undefined ? undefined : { agent, tier };
    },
    tierOf(agent) {
      if (agent === local) return "full";
      const row = byName.get(agent);
      return Number(row?.["tokens"] ?? 0) === 0 ? "read-only" : (toTier(row?.["tier"]) ?? "read-only");
    },
    count: usage.count,
    flush: usage.flush,
    usage(agent) {
      const used = usage.of(agent);
      if (used === undefined && byName.get(agent) === undefined)
        throw new Problem("not_found", `there is no agent ${agent}`);
      return used ?? { requests: 0, refused: 0, commands: 0, bytes: 0 };
    },
  };
}

function hash(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}

function toTier(value: unknown): Tier | undefined {
  return tiers.find((tier) => tier === value);
}

function toAgent(row: Readonly<Record<string, unknown>>): readonly Agent[] {
  const name = parseAgentId(String(row["name"]));
  const tier = toTier(row["tier"]);
  if (name === undefined || tier === undefined) return [];
  return [{ name, tier, createdAt: new Date(Number(row["created_at"])), tokens: Number(row["tokens"]) }];
}
