import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Below } from "../../model/gate-ports.ts";
import { Problem } from "../../model/problem.ts";
import type { TempJournal } from "../temp-journal.ts";
import type { TreeLimits } from "../tree/tree-limits.ts";

/** What a change of files works with. */
export interface ChangeParts extends TreeLimits {
  readonly journal: TempJournal;
  /** Bytes of one file. */
  readonly maxFileBytes: number;
  /** Told of bytes before they are written for an agent. What it throws ends the change. */
  readonly spend: (bytes: number) => void;
}

/**
 * A visitor that lets nothing pass that may not be read: under its new name it could be. The refusal does not name it.
 * @throws Problem `permission_denied` where the top itself may not be read by now.
 */
export function onlyReadable(top: AbsolutePath, below: Below): (path: AbsolutePath) => void {
  const verdictOn = below("read", top);
  return (path) => {
    const verdict = verdictOn(path);
    if (verdict === "allow") return;
    const why = verdict === "deny" ? "may not be read" : "needs a question of its own";
    throw new Problem("permission_denied", `${top}: it holds something that ${why}`, { field: "path" });
  };
}
