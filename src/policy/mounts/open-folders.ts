import { type AbsolutePath, isInside } from "../../model/absolute-path.ts";
import type { Decision, Finding } from "../../model/decision.ts";
import type { Effect, PathEffect } from "../../model/effect.ts";
import { exhausted } from "../../model/exhausted.ts";
import { strictest } from "../../model/verdict.ts";
import { hardcodedRule } from "../hardcoded-rule.ts";
import { nearestScope } from "../nearest-scope.ts";
import { capabilityOf, isPathEffect } from "../rules/capability.ts";
import { fixedPart } from "../rules/path-pattern.ts";
import { mergeFolders, type OpenFolder } from "./merge-folders.ts";
import { type MountNeed, mountNeed } from "./mount-need.ts";
import { ruleRoot, type RuleWorld } from "./rule-root.ts";

/** What folders are opened with. */
export interface OpenWorld extends RuleWorld {
  /** Where the command runs; its real path. */
  readonly cwd: AbsolutePath;
}

/** A decision that says of each path what will be shown, and what that is. */
export interface Opened {
  readonly decision: Decision;
  readonly folders: readonly OpenFolder[];
}

/** More for one command is no request that a person can look through. */
const mostFolders = 32;

/**
 * What a command's sandbox must show beyond the session's folders, if it is admitted: policy and mounts stay one list. `effects` are those that the command has, as
 * against what it is only supposed to touch. What no mount can serve is denied.
 */
export function openFolders(decision: Decision, effects: readonly Effect[], world: OpenWorld): Opened {
  const own = new Set(effects);
  const needs = new Map<Finding, MountNeed>();
  for (const finding of decision.findings) {
    const { effect, verdict } = finding;
    if (verdict !== "deny" && isPathEffect(effect) && own.has(effect) && !isServed(effect, world))
      needs.set(finding, needOf(effect, finding, world));
  }
  if (needs.size === 0) return { decision, folders: [] };
  const wanted = Array.from(needs, ([{ verdict }, need]): readonly OpenFolder[] =>
    need.kind === "mount" ? [{ root: need.root, access: need.access, asked: verdict === "ask" }] : [],
  );
  const folders = mergeFolders(wanted.flat());
  const findings = decision.findings.map((finding): Finding => {
    const need = needs.get(finding);
    return need === undefined ? finding : answered(finding, need, folders, world);
  });
  return { decision: { verdict: strictest(findings.map(({ verdict }) => verdict)), findings }, folders };
}

/** The finding with what its need means for it. */
function answered(finding: Finding, need: MountNeed, folders: readonly OpenFolder[], world: OpenWorld): Finding {
  switch (need.kind) {
    case "none":
      return need.because === undefined ? finding : noted(finding, need.because);
    case "refuse":
      return refused(finding, need.because);
    case "mount": {
      if (folders.length > mostFolders)
        return refused(finding, `the command needs more than ${mostFolders} folders that are not granted`);
      const hidden = hiddenSpelling(finding.effect, folders, world);
      if (hidden !== undefined)
        return refused(
          finding,
          `a link outside the granted folders is not there in the sandbox: use ${need.root} instead of ${hidden}`,
        );
      const what = need.whole ? `all of ${need.root}` : need.root;
      return noted(finding, `${what} will be mounted ${need.access === "ro" ? "read-only" : "writable"}`);
    }
    default:
      return exhausted(need);
  }
}

/** How a path was asked for, where the link in it will not be seen. Where a command runs is given as its real path. */
function hiddenSpelling(
  effect: Effect,
  folders: readonly OpenFolder[],
  { cwd, scopes }: OpenWorld,
): AbsolutePath | undefined {
  if (!isPathEffect(effect) || effect.spelled === undefined || effect.path === cwd) return undefined;
  const { spelled } = effect;
  return [...scopes, ...folders].some(({ root }) => isInside(root, spelled)) ? undefined : spelled;
}

function noted(finding: Finding, note: string): Finding {
  return { ...finding, because: `${finding.because}; ${note}` };
}

function refused({ effect }: Finding, because: string): Finding {
  const rule = hardcodedRule("mount.refused", capabilityOf(effect), "deny", because);
  return { effect, verdict: "deny", rules: [rule], because, firm: true };
}

/** True for what the session's folders show as it is needed. */
function isServed(effect: PathEffect, { scopes }: OpenWorld): boolean {
  const scope = nearestScope(fixedPart(effect), scopes);
  return scope !== undefined && (effect.kind === "read" || scope.access === "rw");
}

function needOf(effect: PathEffect, { verdict, rules }: Finding, world: OpenWorld): MountNeed {
  try {
    const need = mountNeed(effect, world);
    if (need.kind !== "mount" || verdict !== "allow") return need;
    const root = ruleRoot(need.root, rules, world);
    return { ...need, root, whole: need.whole || root !== need.root };
  } catch (cause) {
    return {
      kind: "refuse",
      because: cause instanceof Error ? cause.message : `nobody can tell what ${effect.path} is`,
    };
  }
}
