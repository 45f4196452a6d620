import type { Agent, Budget } from "../../../gen/sallyport/v1/agents_pb.ts";
import { TierSchema } from "../../../gen/sallyport/v1/common_pb.ts";
import { enumWord } from "../../text/words.ts";
import { api } from "./api.ts";
import { ConfirmButton } from "./parts/confirm-button.tsx";
import { timeWords } from "./parts/now.ts";
import { byteWords } from "./parts/byte-words.ts";
import { ShownLine } from "./parts/shown-text.tsx";
import { useAct } from "./parts/use-act.ts";
import { useRefreshed } from "./parts/use-refreshed.ts";
import { hrefOf } from "./place.ts";
import { Fault } from "./parts/fault.tsx";

const everyMs = 5000;

async function readAgents(signal: AbortSignal) {
  const { agents } = await api.agents.list({}, { signal });
  return Promise.all(
    agents.map(async (agent) => ({ agent, usage: await api.agents.usage({ agent: agent.name }, { signal }) })),
  );
}

/** Who has a token, how far it goes, and what has been used. */
export function AgentsPage() {
  const { value, fault, refresh } = useRefreshed(readAgents, everyMs);
  return (
    <>
      <div class="page-head">
        <h1>Agents and budgets</h1>
      </div>
      <Fault text={fault} />
      {value?.length === 0 && (
        <p class="empty-page">
          No agent has a token. <code>sallyport agents create-token NAME --tier TIER</code> makes one.
        </p>
      )}
      {value !== undefined && value.length > 0 && (
        <div class="wide-table" tabIndex={0} role="region" aria-label="Agents">
          <table>
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col">Ceiling</th>
                <th scope="col">Requests</th>
                <th scope="col">Refused</th>
                <th scope="col">Commands</th>
                <th scope="col">Bytes</th>
                <th scope="col">Tokens</th>
              </tr>
            </thead>
            <tbody>
              {value.map(({ agent, usage }) => (
                <tr key={agent.name}>
                  <th scope="row">
                    <ShownLine text={agent.name} />
                    <span class="quiet"> since {timeWords(agent.createdAt)}</span>
                  </th>
                  <td>{enumWord(TierSchema, agent.tier)}</td>
                  <td class="number">{usage.requests.toLocaleString("en")}</td>
                  <td class="number">{usage.refused.toLocaleString("en")}</td>
                  <td class="number">{usage.commands.toLocaleString("en")}</td>
                  <td class="number">{byteWords(Number(usage.bytes))}</td>
                  <td>
                    <Tokens agent={agent} onChange={refresh} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {value?.map(({ agent, usage }) => (
        <Budgets key={agent.name} agent={agent.name} budgets={usage.budgets} />
      ))}
      <p class="quiet">
        Limits are set in the settings. Bytes are those of a day (UTC), requests those of a minute; these come back
        evenly. What was refused is in the <a href={hrefOf("audit")}>record</a>.
      </p>
    </>
  );
}

/** What is limited for an agent, with what it has used of it. */
function Budgets({ agent, budgets }: { readonly agent: string; readonly budgets: readonly Budget[] }) {
  if (budgets.length === 0) return null;
  return (
    <section class="card" aria-label={`Limits of ${agent}`}>
      <h2>
        Limits of <ShownLine text={agent} />
      </h2>
      <ul class="budgets">
        {budgets.map(({ name, unit, used, limit }) => {
          const words = (amount: bigint): string =>
            unit === "bytes" ? byteWords(Number(amount)) : amount.toLocaleString("en");
          return (
            <li key={name}>
              <code>{name}</code>
              <span>
                {words(used)} of {words(limit)}
              </span>
              <meter
                aria-label={name}
                min={0}
                max={Number(limit)}
                high={Number(limit) * 0.8}
                value={Math.min(Number(used), Number(limit))}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Tokens({ agent, onChange }: { readonly agent: Agent; readonly onChange: () => void }) {
  const { busy, fault, start } = useAct();
  return (
    <div class="row">
      <span>{agent.tokens}</span>
      {agent.tokens > 0 && (
        <ConfirmButton
          words="Revoke"
          sure="Revoke all its tokens"
          busy={busy}
          onConfirm={() => start(() => api.agents.revokeTokens({ agent: agent.name }), onChange)}
        />
      )}
      {fault !== undefined && <span class="fault">{fault}</span>}
    </div>
  );
}
