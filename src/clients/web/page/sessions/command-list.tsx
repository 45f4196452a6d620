import { useCallback, useState } from "preact/hooks";
import { api } from "../api.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { timeWords } from "../parts/now.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { useAct } from "../parts/use-act.ts";
import { useRefreshed } from "../parts/use-refreshed.ts";
import { hrefOf } from "../place.ts";
import { endWords } from "./end-words.ts";
import { LiveOutput } from "./live-output.tsx";
import { commandsOf, type RunningCommand } from "./running.ts";
import { Fault } from "../parts/fault.tsx";

const everyMs = 2000;

/** What runs in a session, what ended lately of what went on by itself, and what is looked at. */
export function CommandList({ sessionId }: { readonly sessionId: string }) {
  const read = useCallback((signal: AbortSignal) => commandsOf(sessionId, signal), [sessionId]);
  const { value, fault, refresh } = useRefreshed(read, everyMs);
  /** Those whose output is open: they stay after their end until they are closed. */
  const [open, setOpen] = useState<ReadonlyMap<string, RunningCommand>>(new Map());
  const toggle = (command: RunningCommand): void => {
    const next = new Map(open);
    if (!next.delete(command.id)) next.set(command.id, command);
    setOpen(next);
  };
  const known = new Set(value?.map(({ id }) => id));
  const ended = value === undefined ? [] : [...open.values()].filter(({ id }) => !known.has(id));
  return (
    <section aria-label="Commands">
      <h3>Commands</h3>
      {fault !== undefined && <p class="fault">{fault}</p>}
      {value?.length === 0 && ended.length === 0 && <p class="quiet">Nothing runs.</p>}
      <ul class="rows">
        {[...(value ?? []), ...ended].map((command) => (
          <CommandRow
            key={command.id}
            sessionId={sessionId}
            command={command}
            over={ended.includes(command) || isOver(command)}
            shown={open.has(command.id)}
            onShow={() => toggle(command)}
            onChange={refresh}
          />
        ))}
      </ul>
    </section>
  );
}

function isOver({ process }: RunningCommand): boolean {
  return process?.exit !== undefined || (process?.failure ?? "") !== "";
}

interface CommandRowProps {
  readonly sessionId: string;
  readonly command: RunningCommand;
  readonly over: boolean;
  readonly shown: boolean;
  readonly onShow: () => void;
  readonly onChange: () => void;
}

function CommandRow({ sessionId, command, over, shown, onShow, onChange }: CommandRowProps) {
  const { busy, fault, start } = useAct();
  const { id, process } = command;
  return (
    <li class="command">
      <div class="row">
        <span class={over ? "chip" : "chip allow"}>{over ? endWords(process?.exit, process?.failure) : "runs"}</span>
        <code class="grow">
          <ShownLine text={command.command} />
        </code>
        <span class="quiet">{timeWords(command.startedAt)}</span>
        <button type="button" class="plain" aria-expanded={shown} onClick={onShow}>
          Output
        </button>
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
      <Fault text={fault} />
      {shown && <LiveOutput sessionId={sessionId} processId={id} />}
    </li>
  );
}
