import type { AgentId } from "../model/ids.ts";
import type { Agents as AgentsPort, Budget } from "../server/ports/people.ts";
import type { Agents } from "../sessions/agents.ts";
import type { NoteChange } from "./change-notes.ts";

/** What the desk needs. */
export interface AgentsDeskParts {
  readonly agents: Agents;
  readonly note: NoteChange;
  readonly budgets: (agent: AgentId) => readonly Budget[];
  /** Told of every agent that may do something else by now. */
  readonly onChange: () => void;
}

/** Agents as the server asks for them; every token that is made or revoked leaves a record. */
export function agentsDesk({ agents, note, budgets, onChange }: AgentsDeskParts): AgentsPort {
  return {
    list: () => agents.list(),
    createToken(agent, tier, by) {
      note(by, "make a token", { for: agent, tier });
      const token = agents.createToken(agent, tier);
      onChange();
      return token;
    },
    revokeTokens(agent, by) {
      note(by, "revoke all tokens", { for: agent });
      return agents.revokeTokens(agent);
    },
    usage: (agent) => ({ ...agents.usage(agent), budgets: budgets(agent) }),
  };
}
