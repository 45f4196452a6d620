import type { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { openDatabase } from "../../src/audit/open-database.ts";
import { parseAbsolutePath, type AbsolutePath } from "../../src/model/absolute-path.ts";
import { parseAgentId, type AgentId } from "../../src/model/ids.ts";
import type { Rule } from "../../src/model/rule.ts";
import { parseChannel, type Caller, type Channel } from "../../src/model/subject.ts";
import type { SessionDraft } from "../../src/sessions/session-draft.ts";
import { createSessions, type Sessions, type SessionsOptions } from "../../src/sessions/sessions.ts";
import { present } from "../audit/fixture.ts";

export const agentId = (name: string): AgentId => present(parseAgentId(name));
export const path = (text: string): AbsolutePath => present(parseAbsolutePath(text));
export const channel = (name: string): Channel => present(parseChannel(name));

/** A database that is closed after the test. */
export function databaseIn(folder: string, file: string): DatabaseSync {
  const database = openDatabase({ folder, file });
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

/** Sessions on disk. */
export function sessionsIn(folder: string, options: Partial<SessionsOptions> = {}): Sessions {
  return createSessions({
    database: databaseIn(folder, "sessions.db"),
    clock: () => new Date(),
    defaults: {
      mode: "ask",
      limits: { memoryBytes: 2 ** 31, cpus: 2, pids: 512, tmpBytes: 2 ** 28, openFiles: 1024, fileBytes: 2 ** 34 },
      workspaces: [path("/home/u/projects")],
      images: ["node:24"],
    },
    onEvicted: ({ key }) => {
      throw new Error(`${key} was evicted`);
    },
    ...options,
  });
}

/** An agent with a token. */
export function agent(name: string, change: Partial<Caller> = {}): Caller {
  return {
    agent: agentId(name),
    channel: channel("socket"),
    role: "member",
    isAgent: true,
    tier: "operator",
    ...change,
  };
}

/** The socket's owner. */
export const admin: Caller = {
  agent: agentId("local"),
  channel: channel("socket"),
  role: "admin",
  isAgent: false,
  tier: "full",
};

/** What an agent asks for that asks for nothing special. */
export function draft(change: Partial<SessionDraft> = {}): SessionDraft {
  return {
    workspace: path("/home/u/projects/a"),
    key: "default",
    mode: "ask",
    channel: channel("socket"),
    attended: true,
    scopes: [],
    ...change,
  };
}

/** A rule of the session. */
export function rule(id: string, effect: Rule["effect"]): Rule {
  return { id, source: "session", capability: "shell", match: ["make *"], exclude: [], effect };
}
