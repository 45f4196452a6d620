import { useCallback, useEffect, useState } from "preact/hooks";
import type { AuditRecord } from "../../../../gen/sallyport/v1/audit_pb.ts";
import { api, faultWords } from "../api.ts";
import { keepFollowing } from "../keep-following.ts";
import { useVisible } from "../parts/use-visible.ts";
import { inStreamPlace, waitingWords } from "../stream-place.ts";
import { AuditFilterForm, type Filter, noFilter } from "./audit-filter-form.tsx";
import { AuditTable } from "./audit-table.tsx";
import { Fault } from "../parts/fault.tsx";

const pageSize = 100;
const mostKept = 1000;

/** Records, the newest first, with a filter; new ones come in while it follows. */
export function AuditList({ sessionId }: { readonly sessionId: string }) {
  const [filter, setFilter] = useState<Filter>({ ...noFilter, sessionId });
  const [records, setRecords] = useState<readonly AuditRecord[]>([]);
  const [before, setBefore] = useState(0n);
  const [live, setLive] = useState(true);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [waits, setWaits] = useState(false);
  const visible = useVisible();

  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<bigint> => {
      const found = await api.audit.query({ filter, limit: pageSize }, { signal: stop.signal });
      setRecords(found.records.toReversed());
      setBefore(found.nextBeforeSequence);
      setFault(undefined);
      return found.records.at(-1)?.sequence ?? 0n;
    };
    const follow = async (signal: AbortSignal, connected: () => void): Promise<void> => {
      const afterSequence = await load();
      connected();
      if (!live) return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await inStreamPlace(
        signal,
        () => setWaits(true),
        async () => {
          setWaits(false);
          for await (const { record } of api.audit.follow({ filter, afterSequence }, { signal }))
            if (record !== undefined) setRecords((known) => [record, ...known].slice(0, mostKept));
        },
      );
    };
    const once = (signal: AbortSignal, connected: () => void): Promise<void> =>
      follow(signal, connected).catch((error: unknown) => {
        setFault(faultWords(error));
        throw error;
      });
    // What nobody sees needs no connection: it is read again when somebody does.
    if (visible) void keepFollowing({ follow: once }, stop.signal);
    return () => stop.abort();
  }, [filter, live, visible]);

  const older = useCallback(async (): Promise<void> => {
    try {
      const found = await api.audit.query({ filter, limit: pageSize, beforeSequence: before });
      setRecords((known) => [...known, ...found.records.toReversed()]);
      setBefore(found.nextBeforeSequence);
    } catch (error) {
      setFault(faultWords(error));
    }
  }, [filter, before]);

  return (
    <>
      <div class="page-head">
        <h1>Audit</h1>
        <label class="row">
          <input type="checkbox" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />
          Follow
        </label>
      </div>
      <AuditFilterForm value={filter} onChange={setFilter} />
      <Fault text={fault} />
      {live && waits && <p class="quiet">{waitingWords}</p>}
      <AuditTable records={records} />
      {before > 0n && (
        <button type="button" onClick={() => void older()}>
          Older records
        </button>
      )}
    </>
  );
}
