/** Which records; empty fields choose nothing. */
export interface Filter {
  readonly agent: string;
  readonly sessionId: string;
  readonly kind: string;
  /** RFC 3339. */
  readonly since: string;
}

/** All records. */
export const noFilter: Filter = { agent: "", sessionId: "", kind: "", since: "" };

const kinds: Readonly<Record<string, string>> = {
  "": "everything",
  opened: "allowed",
  refused: "refused",
  answered: "answered by a person",
  closed: "ended",
  abandoned: "end not seen",
  note: "notes",
};

/** Chooses records; each field counts when it is left. */
export function AuditFilterForm({
  value,
  onChange,
}: {
  readonly value: Filter;
  readonly onChange: (filter: Filter) => void;
}) {
  return (
    <form class="fields" onSubmit={(event) => event.preventDefault()}>
      <label>
        Kind
        <select value={value.kind} onChange={(event) => onChange({ ...value, kind: event.currentTarget.value })}>
          {Object.entries(kinds).map(([kind, words]) => (
            <option key={kind} value={kind}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        Agent
        <input
          value={value.agent}
          maxLength={63}
          onChange={(event) => onChange({ ...value, agent: event.currentTarget.value.trim() })}
        />
      </label>
      <label>
        Session
        <input
          value={value.sessionId}
          maxLength={22}
          onChange={(event) => onChange({ ...value, sessionId: event.currentTarget.value.trim() })}
        />
      </label>
      <label>
        Since
        <input
          type="datetime-local"
          onChange={(event) => {
            const at = new Date(event.currentTarget.value);
            onChange({ ...value, since: Number.isNaN(at.getTime()) ? "" : at.toISOString() });
          }}
        />
      </label>
    </form>
  );
}
