import { useCallback } from "preact/hooks";
import type { AuditRecord } from "../../../../gen/sallyport/v1/audit_pb.ts";
import { ShownLine, ShownText } from "../parts/shown-text.tsx";
import { timeWords } from "../parts/now.ts";
import { useRefreshed } from "../parts/use-refreshed.ts";
import { hrefOf } from "../place.ts";
import { recordLine, touched } from "./record-line.ts";
import { traceOf } from "./trace-of.ts";
import { Fault } from "../parts/fault.tsx";

const everyMs = 3000;

/** One request from its question to its end: every record of it, and the files and hosts that it was about. */
export function AuditTrace({ entryId }: { readonly entryId: string }) {
  const read = useCallback((signal: AbortSignal) => traceOf(entryId, signal), [entryId]);
  const { value, fault } = useRefreshed(read, everyMs);
  const { files, hosts } = touched(value ?? []);
  return (
    <>
      <div class="page-head">
        <h1>One request</h1>
        <a href={hrefOf("audit")}>All records</a>
      </div>
      <Fault text={fault} />
      {value?.length === 0 && <p class="empty-page">There is no such request in the record.</p>}
      <ol class="trace">
        {value?.map((record) => (
          <Step key={String(record.sequence)} record={record} />
        ))}
      </ol>
      <Names heading="Files" names={files} />
      <Names heading="Hosts" names={hosts} />
    </>
  );
}

function Step({ record }: { readonly record: AuditRecord }) {
  const lines = pretty(record.bodyJson)
    .split("\n")
    .map((text) => ({ text, start: 0 }));
  return (
    <li class="card">
      <header>
        <span class={`chip ${record.kind}`}>{record.kind}</span>
        <time class="quiet" dateTime={record.at}>
          {timeWords(record.at)}
        </time>
        <span class="quiet">
          <ShownLine text={record.agent} />, record {String(record.sequence)}
        </span>
      </header>
      <p>
        <code>
          <ShownLine text={recordLine(record)} />
        </code>
      </p>
      <details>
        <summary>All of it</summary>
        <ShownText lines={lines} marks={[]} open onOpen={() => {}} />
      </details>
    </li>
  );
}

function Names({ heading, names }: { readonly heading: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <section class="card">
      <h2>{heading}</h2>
      <ul class="rows">
        {names.map((name) => (
          <li key={name}>
            <code>
              <ShownLine text={name} />
            </code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
