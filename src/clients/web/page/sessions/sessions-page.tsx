import { api } from "../api.ts";
import { useRefreshed } from "../parts/use-refreshed.ts";
import { SessionCard } from "./session-card.tsx";
import { StandingFolders } from "./standing-folders.tsx";
import { Fault } from "../parts/fault.tsx";

const everyMs = 3000;
const readSessions = async (signal: AbortSignal) => (await api.sessions.list({}, { signal })).sessions;

/** Every agent at work, with what runs and what it may do without asking. */
export function SessionsPage() {
  const { value, fault, refresh } = useRefreshed(readSessions, everyMs);
  return (
    <>
      <div class="page-head">
        <h1>Sessions</h1>
      </div>
      <Fault text={fault} />
      {value?.length === 0 && (
        <p class="empty-page">No agent has a session. One opens with an agent's first request.</p>
      )}
      {value?.map((session) => (
        <SessionCard key={session.id} session={session} onChange={refresh} />
      ))}
      <StandingFolders />
    </>
  );
}
