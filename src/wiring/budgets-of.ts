import type { Settings } from "../config/load-settings.ts";
import type { Meter } from "../egress/meter.ts";
import type { AgentId } from "../model/ids.ts";
import type { Budget } from "../server/ports/people.ts";
import type { FileBudget } from "../sessions/file-budget.ts";

/** Where use is counted that has a limit. */
export interface BudgetParts {
  readonly settings: Pick<Settings, "files" | "egressLimits">;
  readonly files: Pick<FileBudget, "used">;
  readonly egress: Pick<Meter, "used">;
}

/** The limits that an agent has, named as in the settings, with what it has used of them. */
export function budgetsOf({ settings, files, egress }: BudgetParts): (agent: AgentId) => readonly Budget[] {
  const { requestsPerMinute, bytesPerDay } = settings.egressLimits;
  return (agent) => {
    const out = egress.used(agent);
    return [
      { name: "files.day", unit: "bytes", used: files.used(agent), limit: settings.files.maxDayBytes },
      { name: "egress.day", unit: "bytes", used: out.bytes, limit: bytesPerDay },
      { name: "egress.requests", unit: "requests", used: out.requests, limit: requestsPerMinute },
    ];
  };
}
