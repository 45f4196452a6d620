import { Mode, ModeSchema, TierSchema } from "../../../../gen/sallyport/v1/common_pb.ts";
import type { Session } from "../../../../gen/sallyport/v1/sessions_pb.ts";
import { scopeWords } from "../../../text/scope-words.ts";
import { enumValue, enumWord } from "../../../text/words.ts";
import { api } from "../api.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { timeWords } from "../parts/now.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { useAct } from "../parts/use-act.ts";
import { hrefOf } from "../place.ts";
import { CommandList } from "./command-list.tsx";
import { Fault } from "../parts/fault.tsx";

const modes: readonly { readonly mode: Mode; readonly words: string }[] = [
  { mode: Mode.SUPERVISED, words: "Supervised: ask before everything" },
  { mode: Mode.ASK, words: "Ask: as the rules say, and for every write" },
  { mode: Mode.AUTOPILOT, words: "Autopilot: what is allowed passes, ask the rest" },
  { mode: Mode.ALLOW_ALL, words: "Allow all: ask nothing, denials hold" },
];

/** One session: who, where, how it is asked about, its folders and its commands. */
export function SessionCard({ session, onChange }: { readonly session: Session; readonly onChange: () => void }) {
  const { busy, fault, start } = useAct();
  const { id } = session;
  const change = (act: () => Promise<unknown>): void => start(act, onChange);
  return (
    <article class="card" aria-labelledby={`session-${id}`}>
      <header>
        <h2 id={`session-${id}`}>
          <ShownLine text={session.agent} />{" "}
          <span class="quiet">
            in <ShownLine text={session.workspace} />
          </span>
        </h2>
        <span class="chip">{enumWord(TierSchema, session.tier)}</span>
        {!session.attended && <span class="chip ask">unattended</span>}
      </header>
      <dl class="facts">
        <div>
          <dt>Channel</dt>
          <dd>
            <ShownLine text={session.channel} />
          </dd>
        </div>
        {session.key !== "" && (
          <div>
            <dt>Label</dt>
            <dd>
              <ShownLine text={session.key} />
            </dd>
          </div>
        )}
        <div>
          <dt>Opened</dt>
          <dd>{timeWords(session.openedAt)}</dd>
        </div>
        <div>
          <dt>Last used</dt>
          <dd>{timeWords(session.lastUsedAt)}</dd>
        </div>
        <div>
          <dt>Record</dt>
          <dd>
            <a href={hrefOf("audit", `session:${id}`)}>what it did</a>
          </dd>
        </div>
      </dl>
      <div class="row">
        <label for={`mode-${id}`}>Mode</label>
        <select
          id={`mode-${id}`}
          value={enumWord(ModeSchema, session.mode)}
          disabled={busy}
          onChange={(event) => {
            const mode = enumValue(ModeSchema, event.currentTarget.value);
            change(() => api.sessions.update({ sessionId: id, mode }));
          }}
        >
          {modes.map(({ mode, words }) => (
            <option key={mode} value={enumWord(ModeSchema, mode)}>
              {words}
            </option>
          ))}
        </select>
        {session.mode === Mode.ALLOW_ALL && <span class="chip deny">{enumWord(ModeSchema, session.mode)}</span>}
      </div>
      <h3>Folders</h3>
      <ul class="rows">
        {session.scopes.map((scope, index) => (
          <li key={scope.root}>
            <code>
              <ShownLine text={scopeWords(scope)} />
            </code>
            {index > 0 && (
              <ConfirmButton
                words="Take back"
                sure="Take it back"
                busy={busy}
                onConfirm={() => change(() => api.sessions.update({ sessionId: id, removeScopes: [scope.root] }))}
              />
            )}
          </li>
        ))}
      </ul>
      <CommandList sessionId={id} />
      <Fault text={fault} />
      <footer>
        <ConfirmButton
          words="End this session"
          sure="End it, with its commands and its sandbox"
          busy={busy}
          onConfirm={() => change(() => api.sessions.close({ sessionId: id }))}
        />
      </footer>
    </article>
  );
}
