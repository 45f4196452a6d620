import type { MessageInitShape } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { type CheckResponse, type CheckSubjectSchema } from "../../../../gen/sallyport/v1/policy_pb.ts";
import { api } from "../api.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { useAct } from "../parts/use-act.ts";
import { VerdictChip } from "../parts/verdict.tsx";
import { Findings } from "../questions/findings.tsx";
import { Fault } from "../parts/fault.tsx";

type Subject = MessageInitShape<typeof CheckSubjectSchema>;

const kinds: Readonly<
  Record<string, { readonly words: string; readonly hint: string; readonly make: (text: string) => Subject }>
> = {
  command: {
    words: "Run a command",
    hint: "npm test",
    make: (shell) => ({ what: { case: "command", value: { form: { case: "shell", value: shell } } } }),
  },
  read: { words: "Read a file", hint: "/etc/hosts", make: (value) => ({ what: { case: "read", value } }) },
  write: { words: "Write a file", hint: "/work/a.txt", make: (value) => ({ what: { case: "write", value } }) },
  fetch: {
    words: "Fetch a URL",
    hint: "https://example.com/",
    make: (value) => ({ what: { case: "fetch", value } }),
  },
  connect: { words: "Connect to", hint: "example.com:443", make: (value) => ({ what: { case: "connect", value } }) },
};

/** Tries what would be decided: asks nobody, does nothing. */
export function RuleTest({ sessionId }: { readonly sessionId: string }) {
  const { busy, fault, start } = useAct();
  const [kind, setKind] = useState("command");
  const [result, setResult] = useState<CheckResponse | undefined>(undefined);
  const chosen = kinds[kind];
  return (
    <section class="card" aria-labelledby="rule-test">
      <h2 id="rule-test">Try</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const text = new FormData(event.currentTarget).get("text");
          if (typeof text !== "string" || chosen === undefined) return;
          start(async () => setResult(await api.policy.check({ sessionId, subject: chosen.make(text) })));
        }}
      >
        <select aria-label="What" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          {Object.entries(kinds).map(([name, { words }]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
        <input
          name="text"
          class="grow mono"
          aria-label="Text"
          required
          spellcheck={false}
          autocomplete="off"
          placeholder={chosen?.hint}
        />
        <button type="submit" disabled={busy}>
          What would happen?
        </button>
      </form>
      <Fault text={fault} />
      {result !== undefined && fault === undefined && (
        <div role="status">
          <p>
            The rules say <VerdictChip verdict={result.verdict} />
            {result.settled !== result.verdict && (
              <>
                {" "}
                and the session makes it <VerdictChip verdict={result.settled} />
              </>
            )}
          </p>
          {result.denial !== undefined && (
            <p class="quiet">
              <ShownLine text={[result.denial.because, result.denial.next].filter(Boolean).join(" ")} />
            </p>
          )}
          <Findings findings={result.findings} heading="Why" />
        </div>
      )}
    </section>
  );
}
