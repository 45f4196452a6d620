import { isInside, type AbsolutePath } from "../model/absolute-path.ts";
import type { Rule } from "../model/rule.ts";
import type { SandboxLimits } from "../model/runtime.ts";
import type { Scope } from "../model/scope.ts";
import { modes, tiers, type Mode, type Tier } from "../model/subject.ts";

/** True where `to` settles more by itself than `from`. */
export function isWiderMode(from: Mode, to: Mode): boolean {
  return modes.indexOf(to) > modes.indexOf(from);
}

/** The one of two modes that settles less by itself. */
export function stricterMode(a: Mode, b: Mode): Mode {
  return isWiderMode(a, b) ? a : b;
}

/** The lower of two tiers. */
export function lowerTier(a: Tier, b: Tier): Tier {
  return tiers.indexOf(a) < tiers.indexOf(b) ? a : b;
}

/** True where adding the scope gives more than there was: everything but the same folder with no more access for no longer. */
export function isWideningScope(scopes: readonly Scope[], added: Scope): boolean {
  const same = scopes.find((scope) => scope.root === added.root);
  if (same === undefined || added.lasts !== same.lasts) return true;
  if (added.access === "rw" && same.access === "ro") return true;
  return (added.expiresAt?.getTime() ?? Infinity) > (same.expiresAt?.getTime() ?? Infinity);
}

/** True where taking the folder away gives more: a read-only part of a writable folder. */
export function isWideningRemoval(scopes: readonly Scope[], root: AbsolutePath): boolean {
  const removed = scopes.find((scope) => scope.root === root);
  return (
    removed?.access === "ro" &&
    scopes.some((scope) => scope !== removed && scope.access === "rw" && isInside(scope.root, root))
  );
}

/** True where the rule gives: adding it widens, taking it away narrows; for the others it is the other way round. */
export function isGiving(rule: Rule): boolean {
  return rule.effect === "allow";
}

/** True where one limit is above its ceiling. */
export function exceeds(limits: SandboxLimits, ceiling: SandboxLimits): boolean {
  return (
    limits.memoryBytes > ceiling.memoryBytes ||
    limits.cpus > ceiling.cpus ||
    limits.pids > ceiling.pids ||
    limits.tmpBytes > ceiling.tmpBytes ||
    (limits.openFiles ?? Infinity) > (ceiling.openFiles ?? Infinity) ||
    (limits.fileBytes ?? Infinity) > (ceiling.fileBytes ?? Infinity)
  );
}
