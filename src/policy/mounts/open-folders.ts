import { type AbsolutePath, isInside } from "../../model/absolute-path.ts";
import type { Decision, Finding, Opening } from "../../model/decision.ts";
import type { Effect, PathEffect } from "../../model/effect.ts";
import { exhausted } from "../../model/exhausted.ts";
import { strictest } from "../../model/verdict.ts";
import { guardedPlaceOf } from "../guarded-places.ts";
import { hardcodedRule } from "../hardcoded-rule.ts";
import { nearestScope } from "../nearest-scope.ts";
import { capabilityOf, isPathEffect } from "../rules/capability.ts";
import { fixedPart } from "../rules/path-pattern.ts";
import { mergeFolders, type OpenFolder } from "./merge-folders.ts";
import { mountNeed } from "./mount-need.ts";
import { ruleRoot, type RuleWorld } from "./rule-root.ts";

/** What folders are opened with. */
export interface OpenWorld extends RuleWorld {
  /** Where the command runs, and how that was asked for: it is entered by its real path. */
  readonly cwd: AbsolutePath;
  readonly askedCwd: AbsolutePath;
  /** False for what may not be read: whoever is shown it for another end could read it. */
  readonly mayShow: (root: AbsolutePath) => boolean;
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
  const findings = decision.findings.map((finding): Finding => {
    const { effect, verdict } = finding;
    if (verdict === "deny" || !isPathEffect(effect) || !own.has(effect)) return finding;
    return isServed(effect, world) ? released(finding, effect, world) : opened(finding, effect, world);
  });
  const folders = mergeFolders(
    findings.flatMap(({ opens, verdict }): readonly OpenFolder[] =>
      opens === undefined ? [] : [{ root: opens.root, access: opens.access, asked: verdict === "ask" }],
    ),
  );
  const found = findings.map((finding): Finding => {
    if (finding.opens !== undefined && folders.length > mostFolders)
      return refused(finding, `the command needs more than ${mostFolders} folders that are not granted`);
    return own.has(finding.effect) ? findable(finding, folders, world) : finding;
  });
  return { decision: decisionOf(found), folders };
}

/** The finding, or its denial where the command would look for what it is shown in a place where the sandbox has nothing. */
function findable(finding: Finding, folders: readonly OpenFolder[], world: OpenWorld): Finding {
  const { effect, verdict, opens } = finding;
  if (verdict === "deny" || !isPathEffect(effect) || effect.spelled === undefined) return finding;
  const { path, spelled } = effect;
  if ((opens === undefined && !isServed(effect, world)) || (path === world.cwd && spelled === world.askedCwd))
    return finding;
  if ([...world.scopes, ...folders].some(({ root }) => isInside(root, spelled))) return finding;
  return refused(
    finding,
    `a link outside the granted folders is not there in the sandbox: use ${path} instead of ${spelled}`,
  );
}

function decisionOf(findings: readonly Finding[]): Decision {
  return { verdict: strictest(findings.map(({ verdict }) => verdict)), findings };
}

/** True for what the session's folders show as it is needed. */
function isServed(effect: PathEffect, { scopes }: OpenWorld): boolean {
  const scope = nearestScope(fixedPart(effect), scopes);
  return scope !== undefined && (effect.kind === "read" || scope.access === "rw");
}

/** What sandboxes keep read-only in a writable folder is not kept so for the command that may change it. */
function released(finding: Finding, effect: PathEffect, { scopes }: OpenWorld): Finding {
  const fixed = fixedPart(effect);
  const scope = nearestScope(fixed, scopes);
  const root = effect.kind === "read" || scope === undefined ? undefined : guardedPlaceOf(fixed, scope.root);
  if (root === undefined) return finding;
  return { ...noted(finding, `${root} will be writable for this command`), opens: { root, access: "rw", whole: true } };
}

/** The finding with what must be mounted for it, or why nothing is. */
function opened(finding: Finding, effect: PathEffect, world: OpenWorld): Finding {
  try {
    const need = mountNeed(effect, world);
    switch (need.kind) {
      case "none":
        return need.because === undefined ? finding : noted(finding, need.because);
      case "refuse":
        return refused(finding, need.because);
      case "mount":
        return world.mayShow(need.root)
          ? withMount(finding, need, world)
          : refused(finding, `${need.root} must not be seen by a command`);
      default:
        return exhausted(need);
    }
  } catch (cause) {
    return refused(finding, cause instanceof Error ? cause.message : `nobody can tell what ${effect.path} is`);
  }
}

/** A rule opens what it allows: where more must be mounted than that, a person is asked. */
function withMount(finding: Finding, { root, access, whole }: Opening, world: OpenWorld): Finding {
  const byRule = finding.verdict === "allow" ? ruleRoot(root, finding.rules, world) : undefined;
  const opens =
    byRule === undefined
      ? { root, access, whole }
      : { root: byRule.root, access, whole: whole || byRule.root !== root };
  const note = `${opens.whole ? `all of ${opens.root}` : opens.root} will be mounted ${access === "ro" ? "read-only" : "writable"}`;
  if (byRule === undefined || byRule.covers || !whole) return { ...noted(finding, note), opens };
  return {
    effect: finding.effect,
    verdict: "ask",
    rules: [],
    because: `${note}, and no rule allows that`,
    firm: false,
    opens,
  };
}

function noted(finding: Finding, note: string): Finding {
  return { ...finding, because: `${finding.because}; ${note}` };
}

function refused({ effect }: Finding, because: string): Finding {
  const rule = hardcodedRule("mount.refused", capabilityOf(effect), "deny", because);
  return { effect, verdict: "deny", rules: [rule], because, firm: true };
}
