import { scopeWords } from "../../../text/scope-words.ts";
import { api } from "../api.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { ShownLine } from "../parts/shown-text.tsx";
import { useAct } from "../parts/use-act.ts";
import { useRefreshed } from "../parts/use-refreshed.ts";
import { Fault } from "../parts/fault.tsx";

const everyMs = 10_000;
const readStanding = async (signal: AbortSignal) => (await api.sessions.listStanding({}, { signal })).standing;

/** Folders that are granted always, also where no session is open. */
export function StandingFolders() {
  const { value, fault, refresh } = useRefreshed(readStanding, everyMs);
  const act = useAct();
  if (value === undefined || value.length === 0) return fault === undefined ? null : <p class="fault">{fault}</p>;
  return (
    <section class="card">
      <h2>Folders granted always</h2>
      <ul class="rows">
        {value.map(({ agent, workspace, scope }) => (
          <li key={`${agent} ${workspace} ${scope?.root ?? ""}`}>
            <span class="grow">
              <code>
                <ShownLine text={scope === undefined ? "" : scopeWords(scope)} />
              </code>
              <span class="quiet">
                {" "}
                for <ShownLine text={agent} /> in <ShownLine text={workspace} />
              </span>
            </span>
            <ConfirmButton
              words="Take back"
              sure="Take it back"
              busy={act.busy}
              onConfirm={() =>
                act.start(() => api.sessions.revokeStanding({ agent, workspace, root: scope?.root ?? "" }), refresh)
              }
            />
          </li>
        ))}
      </ul>
      <Fault text={act.fault} />
    </section>
  );
}
