import { RuleSourceSchema, VerdictSchema } from "../../../../gen/sallyport/v1/common_pb.ts";
import { enumValue } from "../../../text/words.ts";
import { api } from "../api.ts";
import { useAct } from "../parts/use-act.ts";
import { Fault } from "../parts/fault.tsx";

const capabilities = [
  "shell",
  "fs_read",
  "fs_write",
  "web_fetch",
  "web_search",
  "mcp",
  "subagent",
  "skill",
  "plugin",
  "context",
  "diagnostics",
  "sandbox_network",
  "filesystem",
  "builtin",
  "all",
] as const;

/** Adds a rule to the user's file or to the session. */
export function RuleForm({ sessionId, onChange }: { readonly sessionId: string; readonly onChange: () => void }) {
  const { busy, fault, start } = useAct();
  const add = (form: HTMLFormElement): void => {
    const fields = new FormData(form);
    const text = (name: string): string => {
      const value = fields.get(name);
      return typeof value === "string" ? value : "";
    };
    const patterns = (name: string): string[] =>
      text(name)
        .split("\n")
        .filter((line) => line.trim() !== "");
    start(async () => {
      await api.policy.addRule({
        sessionId,
        rule: {
          source: enumValue(RuleSourceSchema, text("source")),
          capability: text("capability"),
          match: patterns("match"),
          exclude: patterns("exclude"),
          methods: text("methods")
            .toUpperCase()
            .split(/[\s,]+/)
            .filter(Boolean),
          effect: enumValue(VerdictSchema, text("effect")),
          because: text("because"),
        },
      });
      form.reset();
      onChange();
    });
  };
  return (
    <details class="card">
      <summary>
        <h2>Add a rule</h2>
      </summary>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          add(event.currentTarget);
        }}
      >
        <label>
          What it says
          <select name="effect">
            <option>deny</option>
            <option>ask</option>
            <option>allow</option>
          </select>
        </label>
        <label>
          About
          <select name="capability">
            {capabilities.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Kept in
          <select name="source">
            <option value="user">your permissions file</option>
            <option value="session">this session only</option>
          </select>
        </label>
        <label class="wide">
          Matches (one pattern a line)
          <textarea name="match" rows={2} required spellcheck={false} placeholder="npm test *" />
        </label>
        <label class="wide">
          But not (one pattern a line)
          <textarea name="exclude" rows={1} spellcheck={false} />
        </label>
        <label class="wide">
          Only for these methods of HTTP (web_fetch and sandbox_network; empty is all)
          <input name="methods" maxLength={1000} autocomplete="off" spellcheck={false} placeholder="POST PUT DELETE" />
        </label>
        <label class="wide">
          Why
          <input name="because" maxLength={1000} />
        </label>
        <button type="submit" class="strong" disabled={busy}>
          Add the rule
        </button>
        <Fault text={fault} wide />
      </form>
    </details>
  );
}
