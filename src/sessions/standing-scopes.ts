import type { DatabaseSync } from "node:sqlite";
import { parseAbsolutePath, type AbsolutePath } from "../model/absolute-path.ts";
import { parseAgentId, type AgentId } from "../model/ids.ts";
import { invalid, Problem } from "../model/problem.ts";
import type { Scope } from "../model/scope.ts";

/** Whose sessions, and where. */
export interface StandingOwner {
  readonly agent: AgentId;
  readonly workspace: AbsolutePath;
}

/** A folder that every session of an agent in a workspace has. */
export interface StandingScope extends StandingOwner {
  readonly scope: Scope;
  readonly grantedAt: Date;
}

/** What is granted always. Who may grant and take back is for the caller to check. */
export interface StandingScopes {
  /** Of one agent in one workspace. */
  of(owner: StandingOwner): readonly Scope[];
  /** All, sorted by agent, workspace and folder. */
  list(): readonly StandingScope[];
  /** Grants, or replaces what is granted of the folder. @throws Problem `invalid_argument` where there are too many, `unavailable`. */
  put(owner: StandingOwner, scope: Scope): void;
  /** Takes back; false where it was not granted. @throws Problem `unavailable`. */
  remove(owner: StandingOwner, root: AbsolutePath): boolean;
}

const schema = `CREATE TABLE IF NOT EXISTS standing_scopes (
  agent TEXT NOT NULL, workspace TEXT NOT NULL, root TEXT NOT NULL, access TEXT NOT NULL, expires_at INTEGER, granted_at INTEGER NOT NULL,
  PRIMARY KEY (agent, workspace, root)
) STRICT`;

/** Of one agent in one workspace; of all. */
const mostOfOne = 32;
const mostOfAll = 4096;

/** Prepares the store; rows that cannot be read grant nothing. @throws the store's error. */
export function createStandingScopes(database: DatabaseSync, clock: () => Date): StandingScopes {
  database.exec(schema);
  const all = database.prepare("SELECT * FROM standing_scopes ORDER BY agent, workspace, root");
  const insert = database.prepare("INSERT OR REPLACE INTO standing_scopes VALUES (?, ?, ?, ?, ?, ?)");
  const dropExpired = database.prepare("DELETE FROM standing_scopes WHERE expires_at <= ?");
  const drop = database.prepare("DELETE FROM standing_scopes WHERE agent = ? AND workspace = ? AND root = ?");
  // Every request looks at its session, and so at these.
  let kept: readonly StandingScope[] = all.all().flatMap(toStanding);

  function store(write: () => unknown): void {
    try {
      write();
    } catch (cause) {
      throw new Problem("unavailable", "the folder could not be stored", { cause });
    }
    kept = all.all().flatMap(toStanding);
  }

  const ownedBy =
    ({ agent, workspace }: StandingOwner) =>
    (each: StandingScope): boolean =>
      each.agent === agent && each.workspace === workspace;

  return {
    of: (owner) => kept.filter(ownedBy(owner)).map(({ scope }) => scope),
    list: () => kept,
    put(owner, { root, access, expiresAt }) {
      const { agent, workspace } = owner;
      // What has expired must not use up the places of what has not.
      store(() => dropExpired.run(clock().getTime()));
      const others = kept.filter((each) => !ownedBy(owner)(each) || each.scope.root !== root);
      if (others.filter(ownedBy(owner)).length >= mostOfOne || others.length >= mostOfAll)
        throw invalid("add_scopes", `more than ${mostOfOne} folders of ${agent} there, or ${mostOfAll} of all`);
      store(() => insert.run(agent, workspace, root, access, expiresAt?.getTime() ?? null, clock().getTime()));
    },
    remove(owner, root) {
      const there = kept.some((each) => ownedBy(owner)(each) && each.scope.root === root);
      if (there) store(() => drop.run(owner.agent, owner.workspace, root));
      return there;
    },
  };
}

function toStanding(row: Readonly<Record<string, unknown>>): readonly StandingScope[] {
  const agent = parseAgentId(String(row["agent"]));
  const workspace = parseAbsolutePath(String(row["workspace"]));
  const root = parseAbsolutePath(String(row["root"]));
  const access = (["ro", "rw"] as const).find((known) => known === row["access"]);
  if (agent === undefined || workspace === undefined || root === undefined || access === undefined) return [];
  const expires = row["expires_at"];
  const scope: Scope = {
    root,
    access,
    lasts: "always",
    ...(expires === null ? {} : { expiresAt: new Date(Number(expires)) }),
  };
  return [{ agent, workspace, scope, grantedAt: new Date(Number(row["granted_at"])) }];
}
