import { useEffect } from "preact/hooks";
import { visible } from "../../../text/visible.ts";
import { api } from "../api.ts";
import { useRefreshed } from "./use-refreshed.ts";

const everyMs = 5000;
const readSessions = async (signal: AbortSignal) => (await api.sessions.list({}, { signal })).sessions;

/** Chooses a session; the one that was used last is taken where none is chosen. */
export function SessionSelect({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (id: string) => void;
}) {
  const sessions = useRefreshed(readSessions, everyMs).value;
  const first = sessions?.[0]?.id;
  useEffect(() => {
    if (value === "" && first !== undefined) onChange(first);
  }, [value, first, onChange]);
  return (
    <label class="row">
      As seen by
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {(sessions === undefined || sessions.length === 0) && <option value="">this page</option>}
        {sessions?.map(({ id, agent, workspace, channel, key }) => (
          <option key={id} value={id}>
            {visible(`${agent} in ${workspace} (${channel}${key === "" ? "" : `, ${key}`})`)}
          </option>
        ))}
      </select>
    </label>
  );
}
