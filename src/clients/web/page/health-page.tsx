import { useState } from "preact/hooks";
import { HealthCheckResponse_ServingStatus as Serving } from "../../../gen/grpc/health/v1/health_pb.ts";
import type { VerifyResponse } from "../../../gen/sallyport/v1/audit_pb.ts";
import { api } from "./api.ts";
import { countWords } from "./parts/fold.ts";
import { ShownLine } from "./parts/shown-text.tsx";
import { useAct } from "./parts/use-act.ts";
import { useRefreshed } from "./parts/use-refreshed.ts";
import { Faults } from "./rules/faults.tsx";
import { Fault } from "./parts/fault.tsx";

const everyMs = 3000;

async function readHealth(signal: AbortSignal) {
  const [{ statuses }, { faults }] = await Promise.all([
    api.health.list({}, { signal }),
    api.policy.listRules({}, { signal }),
  ]);
  return { statuses: Object.entries(statuses).toSorted(([a], [b]) => a.localeCompare(b)), faults };
}

/** Whether each part is well, and whether the record is whole. */
export function HealthPage() {
  const { value, fault } = useRefreshed(readHealth, everyMs);
  return (
    <>
      <div class="page-head">
        <h1>Health</h1>
      </div>
      <Fault text={fault} />
      {value !== undefined && <Faults faults={value.faults} />}
      <section class="card" aria-labelledby="parts">
        <h2 id="parts">Parts</h2>
        <ul class="rows">
          {value?.statuses.map(([name, { status }]) => (
            <li key={name}>
              <span class={status === Serving.SERVING ? "chip allow" : "chip deny"}>
                {status === Serving.SERVING ? "well" : "not well"}
              </span>
              <span class="grow">{name === "" ? "Sallyport as a whole" : <ShownLine text={name} />}</span>
            </li>
          ))}
        </ul>
      </section>
      <Verify />
    </>
  );
}

function Verify() {
  const { busy, fault, start } = useAct();
  const [result, setResult] = useState<VerifyResponse | undefined>(undefined);
  return (
    <section class="card" aria-labelledby="verify">
      <h2 id="verify">The record</h2>
      <p class="quiet">Each record holds the hash of the one before it, so that a change of any of them shows.</p>
      <button type="button" disabled={busy} onClick={() => start(async () => setResult(await api.audit.verify({})))}>
        {busy ? "Reading all of it…" : "Check the whole chain"}
      </button>
      <Fault text={fault} />
      {result !== undefined && (
        <p role="status">
          {result.ok ? (
            <>
              <span class="chip allow">whole</span> {countWords(Number(result.records), "record", "records")} read.
            </>
          ) : (
            <>
              <span class="chip deny">broken</span> at record {String(result.firstBadSequence)}:{" "}
              <ShownLine text={result.reason} />
            </>
          )}
        </p>
      )}
    </section>
  );
}
