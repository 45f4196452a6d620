import type { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { createApprovals, type Approvals, type ApprovalsOptions } from "../../src/approvals/broker.ts";
import { openDatabase } from "../../src/audit/open-database.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { Attempt, Question } from "../../src/model/gate-ports.ts";
import { parseAgentId, parseSessionId } from "../../src/model/ids.ts";
import type { ExecIntent } from "../../src/model/intent.ts";
import { parseChannel, type Caller } from "../../src/model/subject.ts";
import { createRedactor } from "../../src/secrets/redactor.ts";
import { present } from "../audit/fixture.ts";

/** A queue on disk that is stopped after the test. */
export function approvalsIn(
  folder: string,
  options: Partial<ApprovalsOptions> = {},
): Approvals & {
  readonly database: DatabaseSync;
  end(): void;
} {
  const database = openDatabase({ folder, file: "approvals.db" });
  const approvals = createApprovals({
    database,
    redactor: createRedactor(),
    clock: () => new Date(),
    keep: () => [],
    record: () => {},
    places: () => [{ file: "user", path: "/home/u/.config/sallyport/permissions.yaml" }],
    onTrouble: (problem) => {
      throw problem;
    },
    ...options,
  });
  const end = (): void => {
    approvals.stop();
    if (database.isOpen) database.close();
  };
  onTestFinished(end);
  return { ...approvals, database, end };
}

/** A question about a shell command. */
export function question(
  text: string,
  change: {
    readonly agent?: string;
    readonly intent?: Partial<ExecIntent>;
    readonly drafts?: Question["drafts"];
    readonly operands?: string;
    readonly editable?: Question["editable"];
  } = {},
): Question {
  const agent = change.agent ?? "tester";
  const finding = {
    effect: { kind: "run", program: "x", argv: ["x"], text },
    verdict: "ask",
    rules: [],
    because: "no rule speaks",
    firm: false,
  } as const;
  return {
    subject: {
      agent: present(parseAgentId(agent)),
      session: present(parseSessionId(`session-of-${agent}`)),
      channel: present(parseChannel("socket")),
      role: "member",
      tier: "operator",
      mode: "autopilot",
      attended: true,
    },
    intent: {
      kind: "exec",
      command: { kind: "shell", shell: "bash", text },
      cwd: present(parseAbsolutePath("/home/u/project")),
      env: {},
      stdin: false,
      background: false,
      limits: { timeoutMs: 0, outputBytes: 0 },
      ...change.intent,
    },
    title: `Run ${text}`,
    open: [finding],
    decision: { verdict: "ask", findings: [finding] },
    drafts: change.drafts ?? [{ capability: "shell", match: `${text} *`, effect: "allow" }],
    operands: change.operands ?? "",
    ...(change.editable === undefined ? {} : { editable: change.editable }),
  };
}

/** What another text in the place of a question's would do. */
export function attemptOf(text: string, operands = ""): Attempt {
  return question(text, { operands });
}

/** Somebody at a surface. */
export function caller(name: string, change: Partial<Caller> = {}): Caller {
  return {
    agent: present(parseAgentId(name)),
    channel: present(parseChannel("socket")),
    role: "admin",
    isAgent: false,
    tier: "full",
    ...change,
  };
}

/** A signal that never aborts. */
export const patient = (): AbortSignal => new AbortController().signal;

/** The only open question. */
export function onlyOne(approvals: Approvals): ReturnType<Approvals["list"]>[number] {
  const [open, ...more] = approvals.list();
  if (open === undefined || more.length > 0)
    throw new Error(`${more.length + (open === undefined ? 0 : 1)} questions are open`);
  return open;
}
