import { Code, ConnectError } from "@connectrpc/connect";
import { ruleWords } from "../../../text/words.ts";
import { api } from "../api.ts";
import { countWords } from "../parts/fold.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { useRefreshed } from "../parts/use-refreshed.ts";
import { VerdictChip } from "../parts/verdict.tsx";

const everyMs = 15_000;

/** Empty where the server does not know proposals. */
async function readProposals(signal: AbortSignal) {
  try {
    return (await api.approvals.listProposals({}, { signal })).proposals;
  } catch (error) {
    if (ConnectError.from(error).code === Code.Unimplemented) return [];
    throw error;
  }
}

/** Broader rules that could stand for several answers, with what else each would have allowed. */
export function Proposals() {
  const { value } = useRefreshed(readProposals, everyMs);
  if (value === undefined || value.length === 0) return null;
  return (
    <section class="card" aria-labelledby="proposals">
      <header>
        <h2 id="proposals">Proposals</h2>
        <span class="quiet">One rule for several that you gave. To take one, add it below and remove the others.</span>
      </header>
      <ul class="rows">
        {value.map(({ draft, replaces, wouldHaveAllowed, wouldHaveAllowedTotal }, index) => (
          <li key={index}>
            {draft !== undefined && <VerdictChip verdict={draft.effect} />}
            <div class="grow">
              <code>
                <ShownLine text={`${draft?.capability ?? ""} ${draft?.match ?? ""}`} />
              </code>
              <details>
                <summary>
                  stands for {countWords(replaces.length, "rule", "rules")}, would have allowed{" "}
                  {countWords(wouldHaveAllowedTotal, "more request", "more requests")}
                </summary>
                <ul>
                  {replaces.map((rule) => (
                    <li key={rule.id}>
                      <ShownLine text={ruleWords(rule)} />
                    </li>
                  ))}
                </ul>
                <p>It would have allowed as well:</p>
                <ul>
                  {wouldHaveAllowed.map((text) => (
                    <li key={text}>
                      <code>
                        <ShownLine text={text} />
                      </code>
                    </li>
                  ))}
                </ul>
              </details>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
