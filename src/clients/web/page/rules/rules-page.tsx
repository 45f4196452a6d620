import { useCallback, useState } from "preact/hooks";
import { type Rule, RuleSource, RuleSourceSchema } from "../../../../gen/sallyport/v1/common_pb.ts";
import { enumWord } from "../../../text/words.ts";
import { api } from "../api.ts";
import { SessionSelect } from "../parts/session-select.tsx";
import { useRefreshed } from "../parts/use-refreshed.ts";
import { Faults } from "./faults.tsx";
import { Proposals } from "./proposals.tsx";
import { RuleForm } from "./rule-form.tsx";
import { RuleRow } from "./rule-row.tsx";
import { RuleTest } from "./rule-test.tsx";
import { Fault } from "../parts/fault.tsx";

const everyMs = 5000;

const sources: readonly { readonly source: RuleSource; readonly words: string }[] = [
  { source: RuleSource.HARDCODED, words: "Part of Sallyport; nothing lifts its denials." },
  { source: RuleSource.MANAGED, words: "Set by the organisation." },
  { source: RuleSource.USER, words: "Your permissions file: every workspace, every agent." },
  { source: RuleSource.WORKSPACE, words: "Your file for this workspace." },
  { source: RuleSource.AGENT, words: "The agent's profile." },
  { source: RuleSource.SESSION, words: "This session only." },
];

/** The rules that hold for a session, by where they come from; with adding, removing and trying. */
export function RulesPage() {
  const [sessionId, setSession] = useState("");
  const read = useCallback(
    async (signal: AbortSignal) => await api.policy.listRules({ sessionId }, { signal }),
    [sessionId],
  );
  const { value, fault, refresh } = useRefreshed(read, everyMs);
  const without =
    value === undefined
      ? []
      : sources
          .filter(({ source }) => !value.rules.some((rule) => rule.source === source))
          .map(({ source }) => enumWord(RuleSourceSchema, source));
  return (
    <>
      <div class="page-head">
        <h1>Rules</h1>
        <SessionSelect value={sessionId} onChange={setSession} />
      </div>
      <Fault text={fault} />
      {value !== undefined && <Faults faults={value.faults} />}
      <RuleTest sessionId={sessionId} />
      <Proposals />
      <RuleForm sessionId={sessionId} onChange={refresh} />
      {sources.map(({ source, words }) => {
        const rules: readonly Rule[] = value?.rules.filter((rule) => rule.source === source) ?? [];
        if (rules.length === 0) return null;
        return (
          <section class="card" key={source} aria-labelledby={`source-${source}`}>
            <header>
              <h2 id={`source-${source}`}>{enumWord(RuleSourceSchema, source)}</h2>
              <span class="quiet">{words}</span>
            </header>
            <details open={source !== RuleSource.HARDCODED}>
              <summary>{rules.length === 1 ? "1 rule" : `${rules.length} rules`}</summary>
              <ul class="rows">
                {rules.map((rule) => (
                  <RuleRow key={rule.id} rule={rule} sessionId={sessionId} onChange={refresh} />
                ))}
              </ul>
            </details>
          </section>
        );
      })}
      {without.length > 0 && <p class="quiet">No rules from: {without.join(", ")}.</p>}
    </>
  );
}
