import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import type { Finding } from "../model/decision.ts";
import { Problem } from "../model/problem.ts";
import type { EntryVerdict } from "../model/gate-ports.ts";
import type { Mode } from "../model/subject.ts";
import { decide, type DecideWorld } from "./decide.ts";
import { nearestScope } from "./nearest-scope.ts";

/**
 * Judges entries below a folder that was admitted, by their real paths. An ask counts as answered where the answer for the folder was one to the same ground: the same rules,
 * in the same granted folder or outside of all; and where the mode answers it.
 * @throws Problem `permission_denied` where the folder itself would be refused
 */
export function judgeBelow(kind: "read" | "write", root: AbsolutePath, world: DecideWorld, mode: Mode): EntryVerdict {
  const judge = (path: AbsolutePath): Finding | undefined =>
    decide([{ kind, path, exact: true }], [], world).findings[0];
  const whole = judge(root);
  if (whole === undefined || whole.verdict === "deny")
    throw new Problem("permission_denied", `${root}: ${whole?.because ?? "nothing allows it"}`, { field: "path" });
  const scope = nearestScope(root, world.scopes);
  const answered = new Set(whole.verdict === "ask" ? whole.rules : []);

  function isAnswered({ rules, firm }: Finding, path: AbsolutePath): boolean {
    if (mode === "allow-all" && !firm) return true;
    if (whole?.verdict !== "ask" || !isInside(root, path) || nearestScope(path, world.scopes) !== scope) return false;
    // Without rules it is the scope that asks, and then it must have been the scope there, too.
    return rules.length === 0 ? answered.size === 0 : rules.every((rule) => answered.has(rule));
  }

  return (path) => {
    const finding = judge(path);
    if (finding === undefined) return "deny";
    return finding.verdict === "ask" && isAnswered(finding, path) ? "allow" : finding.verdict;
  };
}
