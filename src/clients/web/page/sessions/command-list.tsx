import { useCallback, useState } from "preact/hooks";
import type { ExecExit } from "../../../../gen/sallyport/v1/exec_pb.ts";
import { api } from "../api.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { timeWords } from "../parts/now.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { useAct } from "../parts/use-act.ts";
import { useRefreshed } from "../parts/use-refreshed.ts";
import { hrefOf } from "../place.ts";
import { LiveOutput } from "./live-output.tsx";
import { commandsOf, type RunningCommand } from "./running.ts";
import { Fault } from "../parts/fault.tsx";

const everyMs = 2000;

/** What runs in a session, and what ended lately of what went on by itself. */
export function CommandList({ sessionId }: { readonly sessionId: string }) {
  const read = useCallback((signal: AbortSignal) => commandsOf(sessionId, signal), [sessionId]);
  const { value, fault, refresh } = useRefreshed(read, everyMs);
  return (
    <section aria-label="Commands">
      <h3>Commands</h3>
      {fault !== undefined && <p class="fault">{fault}</p>}
      {value?.length === 0 && <p class="quiet">Nothing runs.</p>}
      <ul class="rows">
        {value?.map((command) => (
          <CommandRow key={command.id} sessionId={sessionId} command={command} onChange={refresh} />
        ))}
      </ul>
    </section>
  );
}

function CommandRow({
  sessionId,
  command,
  onChange,
}: {
  readonly sessionId: string;
  readonly command: RunningCommand;
  readonly onChange: () => void;
}) {
  const [shown, setShown] = useState(false);
  const { busy, fault, start } = useAct();
  const { id, process } = command;
  const over = process?.exit !== undefined || (process?.failure ?? "") !== "";
  return (
    <li class="command">
      <div class="row">
        <span class={over ? "chip" : "chip allow"}>{over ? endWords(process?.exit, process?.failure) : "runs"}</span>
        <code class="grow">
          <ShownLine text={command.command} />
        </code>
        <span class="quiet">{timeWords(command.startedAt)}</span>
        {process !== undefined && (
          <button type="button" class="plain" aria-expanded={shown} onClick={() => setShown(!shown)}>
            Output
          </button>
        )}
        <a href={hrefOf("audit", id)}>trace</a>
        {!over && (
          <ConfirmButton
            words="Kill"
            sure="Kill it"
            busy={busy}
            onConfirm={() => start(() => api.exec.stop({ sessionId, processId: id }), onChange)}
          />
        )}
      </div>
      {process === undefined && <p class="quiet">Its output goes to the caller that waits for it.</p>}
      <Fault text={fault} />
      {shown && <LiveOutput sessionId={sessionId} processId={id} />}
    </li>
  );
}

function endWords(exit: ExecExit | undefined, failure = ""): string {
  if (exit?.status.case === "code") return `exit ${exit.status.value}`;
  if (exit?.status.case === "signal") return `signal ${exit.status.value}`;
  return failure === "" ? "ended" : "lost";
}
