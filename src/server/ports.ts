import type { BackgroundTable } from "../model/background.ts";
import type { EntryJudge } from "../model/gate-ports.ts";
import type { Fetcher, Files, Gate, PageReader, ParsePath, Sandboxes } from "./ports/acting.ts";
import type { FileBudget, FileChanges } from "./ports/changing.ts";
import type { AuditLog, PolicyDesk } from "./ports/judging.ts";
import type { Trees } from "./ports/trees.ts";
import type { Agents, Approvals, Sessions, Tokens } from "./ports/people.ts";

// So that whoever wires the rooms together needs one import.
export type * from "./ports/acting.ts";
export type * from "./ports/awaitable.ts";
export type * from "./ports/changing.ts";
export type * from "./ports/judging.ts";
export type * from "./ports/people.ts";
export type * from "./ports/trees.ts";

/** Everything that the handlers reach the other rooms by. */
export interface Ports {
  readonly tokens: Tokens;
  readonly gate: Gate;
  readonly sessions: Sessions;
  readonly sandboxes: Sandboxes;
  /** Commands that do not end with their call. */
  readonly background: BackgroundTable;
  /** How paths of files are read. */
  readonly parsePath: ParsePath;
  readonly files: Files;
  readonly changes: FileChanges;
  readonly budget: FileBudget;
  readonly trees: Trees;
  readonly entries: EntryJudge;
  readonly fetcher: Fetcher;
  readonly pages: PageReader;
  readonly approvals: Approvals;
  readonly audit: AuditLog;
  readonly policy: PolicyDesk;
  readonly agents: Agents;
}
