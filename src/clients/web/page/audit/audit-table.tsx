import type { AuditRecord } from "../../../../gen/sallyport/v1/audit_pb.ts";
import { timeWords } from "../parts/now.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { hrefOf } from "../place.ts";
import { recordLine } from "./record-line.ts";

const longestLine = 300;
const colours: Readonly<Record<string, string>> = { opened: "allow", refused: "deny", answered: "ask" };

/** Records as rows, each with a link to the whole trace of its request. */
export function AuditTable({ records }: { readonly records: readonly AuditRecord[] }) {
  if (records.length === 0) return <p class="empty-page">No records.</p>;
  return (
    <div class="wide-table records" tabIndex={0} role="region" aria-label="Records">
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Outcome</th>
            <th scope="col">Agent</th>
            <th scope="col">What</th>
            <th scope="col">Trace</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => {
            const line = recordLine(record);
            return (
              <tr key={String(record.sequence)}>
                <td>
                  <time dateTime={record.at}>{timeWords(record.at)}</time>
                </td>
                <td>
                  <span class={`chip ${colours[record.kind] ?? ""}`}>{record.kind}</span>
                </td>
                <td>
                  <ShownLine text={record.agent} />
                </td>
                <td class="what">
                  <code>
                    <ShownLine text={line.slice(0, longestLine).toWellFormed()} />
                    {line.length > longestLine && "…"}
                  </code>
                </td>
                <td>{record.entryId !== "" && <a href={hrefOf("audit", record.entryId)}>trace</a>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
