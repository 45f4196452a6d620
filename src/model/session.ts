import type { AbsolutePath } from "./absolute-path.ts";
import type { Rule } from "./rule.ts";
import type { SandboxLimits } from "./runtime.ts";
import type { Scope } from "./scope.ts";
import type { Subject } from "./subject.ts";

/** The folders that a session may use. */
export type SessionFolders = Pick<Session, "workspace" | "scopes">;

/** One agent at work in one workspace. */
export interface Session {
  readonly subject: Subject;
  readonly workspace: AbsolutePath;
  /** The workspace first. */
  readonly scopes: readonly Scope[];
  /** Rules that were added for this session only. */
  readonly rules: readonly Rule[];
  /** Image reference; undefined: the configured default. */
  readonly image: string | undefined;
  readonly limits: SandboxLimits;
  readonly openedAt: Date;
  readonly lastUsedAt: Date;
  /** The client's own label, by which the same session is found again. */
  readonly key: string;
}
