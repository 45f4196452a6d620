import type { Recorder } from "../model/gate-ports.ts";
import type { AgentId, EntryId } from "../model/ids.ts";
import type { OutcomeFacts } from "../model/outcome.ts";
import type { Agents } from "../sessions/agents.ts";

/** Counts what each agent uses, beside the record. */
export function countingRecorder(recorder: Recorder, agents: Agents): Recorder {
  const running = new Map<EntryId, AgentId>();
  return {
    open(entry) {
      const id = recorder.open(entry);
      const { agent } = entry.subject;
      running.set(id, agent);
      agents.count(agent, { requests: 1, commands: entry.intent.kind === "exec" ? 1 : 0 });
      return id;
    },
    refuse(entry) {
      const id = recorder.refuse(entry);
      agents.count(entry.subject.agent, { requests: 1, refused: 1 });
      return id;
    },
    close(id, outcome) {
      const agent = running.get(id);
      running.delete(id);
      recorder.close(id, outcome);
      if (agent !== undefined && outcome.kind !== "abandoned") agents.count(agent, { bytes: bytesOf(outcome.facts) });
    },
  };
}

/** Bytes read, written, fetched or printed. */
function bytesOf(facts: OutcomeFacts): number {
  return [facts["bytes"], facts["stdoutBytes"], facts["stderrBytes"]].reduce<number>(
    (sum, bytes) => (typeof bytes === "number" ? sum + bytes : sum),
    0,
  );
}
