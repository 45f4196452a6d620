import type { SimpleCommand } from "../shell/simple-command.ts";
import type { BlockWorld } from "./block-world.ts";

/** A text that an entry must or must not hit. */
export interface Example {
  readonly shell: "bash" | "powershell" | "cmd";
  readonly text: string;
}

/** One thing that nothing lifts: no rule, mode, tier, grant or person. */
export interface BlocklistEntry {
  /** Short name; the rule's id is `blocklist.<id>`. */
  readonly id: string;
  /** For a person: why. */
  readonly because: string;
  /** For a person: what it is about, in words. */
  readonly match: readonly string[];
  /** Checked at load. */
  readonly hits: readonly Example[];
  readonly misses: readonly Example[];
  /** True where a bash command is forbidden; undefined where other code finds it: function bodies, PowerShell, cmd. */
  readonly forbids: ((name: string, command: SimpleCommand, world: BlockWorld) => boolean) | undefined;
}

/** Examples in bash. */
export function bash(...texts: readonly string[]): Example[] {
  return texts.map((text) => ({ shell: "bash", text }));
}
