import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openAudit, type Audit, type AuditOptions } from "../../src/audit/open-audit.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { Entry } from "../../src/model/gate-ports.ts";
import { parseAgentId, parseSessionId } from "../../src/model/ids.ts";
import { parseChannel } from "../../src/model/subject.ts";
import { createRedactor } from "../../src/secrets/redactor.ts";

/** The value, or an end of the test. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the fixture is wrong: a value is missing");
  return value;
}

/** An audit with a real redactor and clock. */
export function auditIn(folder: string, options: Partial<AuditOptions> = {}): Audit {
  return openAudit({
    folder,
    redactor: createRedactor(),
    clock: () => new Date(),
    onTrouble: (problem) => expectNoTrouble(problem),
    ...options,
  });
}

function expectNoTrouble(problem: Error): never {
  throw problem;
}

/** A request for a shell command, allowed by a rule. */
export function entry(text: string, change: Partial<Entry> & { readonly agent?: string } = {}): Entry {
  const { agent, ...rest } = change;
  return {
    subject: {
      agent: present(parseAgentId(agent ?? "tester")),
      session: present(parseSessionId(`session-of-${agent ?? "tester"}`)),
      channel: present(parseChannel("socket")),
      role: "member",
      tier: "operator",
      mode: "ask",
      attended: true,
    },
    intent: {
      kind: "exec",
      command: { kind: "shell", shell: "bash", text },
      cwd: present(parseAbsolutePath("/home/u/project")),
      env: { CI: "1" },
      stdin: false,
      background: false,
      limits: { timeoutMs: 0, outputBytes: 0 },
    },
    decision: {
      verdict: "allow",
      findings: [
        {
          effect: { kind: "run", program: "x", argv: ["x"], text },
          verdict: "allow",
          rules: [],
          because: "a rule allows it",
          firm: false,
        },
      ],
    },
    by: { kind: "rule" },
    verdict: "allow",
    ...rest,
  };
}

/** Runs SQL on the stopped audit as somebody else would: past its triggers. */
export function tamper(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, "audit.db"));
  database.exec(`DROP TRIGGER never_changed; DROP TRIGGER never_deleted; ${sql}`);
  database.close();
}
