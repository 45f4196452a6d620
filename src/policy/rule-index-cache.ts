import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import type { Rule } from "../model/rule.ts";
import { indexRules, type RuleIndex } from "./rules/rule-index.ts";

/** Most workspaces that one list of rules is kept compiled for. */
const maxWorkspaces = 64;

/** Compiled rules by the list they came from, which must be a new list whenever a rule changes. */
export class RuleIndexCache {
  readonly #facts: Facts;
  readonly #byList = new WeakMap<readonly Rule[], Map<AbsolutePath, RuleIndex>>();

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** @throws RangeError naming the rule where a pattern is refused. */
  get(rules: readonly Rule[], workspace: AbsolutePath): RuleIndex {
    const byWorkspace = this.#byList.get(rules) ?? new Map<AbsolutePath, RuleIndex>();
    this.#byList.set(rules, byWorkspace);
    const kept = byWorkspace.get(workspace);
    if (kept !== undefined) return kept;
    const facts = this.#facts;
    const index = indexRules(rules, { home: facts.home, workspace, real: (path) => facts.locate(path).real });
    if (byWorkspace.size >= maxWorkspaces) byWorkspace.clear();
    byWorkspace.set(workspace, index);
    return index;
  }
}
