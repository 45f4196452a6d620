import type { Fetcher, Files, Gate, Sandboxes } from "./ports/acting.ts";
import type { AuditLog, PolicyDesk } from "./ports/judging.ts";
import type { Agents, Approvals, Sessions, Tokens } from "./ports/people.ts";

/** Everything that the handlers reach the other rooms by. */
export interface Ports {
  readonly tokens: Tokens;
  readonly gate: Gate;
  readonly sessions: Sessions;
  readonly sandboxes: Sandboxes;
  readonly files: Files;
  readonly fetcher: Fetcher;
  readonly approvals: Approvals;
  readonly audit: AuditLog;
  readonly policy: PolicyDesk;
  readonly agents: Agents;
}
