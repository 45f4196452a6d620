import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import type { Effect, PathEffect } from "../model/effect.ts";
import type { Scope } from "../model/scope.ts";
import { hardcodedRule } from "./hardcoded-rule.ts";
import type { Opinion } from "./opinion.ts";
import { protectedBy } from "./protected-paths.ts";
import { capabilityOf, isPathEffect } from "./rules/capability.ts";
import { effectShape, fixedPart, shapesMeet } from "./rules/path-pattern.ts";

/** What invariants need to know. */
export interface InvariantWorld {
  /** Sallyport's own folders. */
  readonly own: readonly AbsolutePath[];
  readonly scopes: readonly Scope[];
  /** True where the sidecar itself would touch the file, false for a command in the sandbox. */
  readonly byFileService: boolean;
}

/** What holds in every mode and for everyone, whatever rules say. */
export function invariantOpinions(effect: Effect, world: InvariantWorld): Opinion[] {
  if (effect.kind === "reach" && effect.internal !== undefined) {
    const because = `the address guard refuses ${effect.host}: ${effect.internal}`;
    return [deny(hardcodedRule("invariant.address", effect.capability, "deny", because), because)];
  }
  if (!isPathEffect(effect)) return [];
  const own = world.own.find((folder) => touches(effect, folder));
  if (own !== undefined) {
    const because = `${own} belongs to Sallyport itself: no request may ${effect.kind} there`;
    return [deny(hardcodedRule("invariant.own", capabilityOf(effect), "deny", because, [own]), because)];
  }
  const granted = world.byFileService ? world.scopes.find(({ root }) => takes(effect, root)) : undefined;
  if (granted !== undefined) {
    const because = `${granted.root} is a granted folder: it is not removed or renamed itself`;
    return [deny(hardcodedRule("invariant.scope", "fs_write", "deny", because, [granted.root]), because)];
  }
  const rules = protectedBy(effect, world.byFileService);
  return rules.map((rule) => ({ verdict: "ask", rules: [rule], because: rule.because ?? rule.id, firm: true }));
}

/** Inside the folder; for a delete, or a write of a whole subtree, also above it. Reads above it are harmless: the sandbox hides the folder. */
function touches(effect: PathEffect, folder: AbsolutePath): boolean {
  return [effect.path, ...(effect.spelled === undefined ? [] : [effect.spelled])].some((path) => {
    const fixed = fixedPart({ path, exact: effect.exact });
    if (isInside(folder, fixed)) return true;
    return effect.kind !== "read" && (effect.kind === "delete" || !effect.exact) && isInside(fixed, folder);
  });
}

/** True for a delete of the folder itself. In a sandbox it is a mount, which nothing removes. */
function takes({ kind, path, exact }: PathEffect, folder: AbsolutePath): boolean {
  return kind === "delete" && shapesMeet(effectShape(path, exact), effectShape(folder, true));
}

function deny(rule: ReturnType<typeof hardcodedRule>, because: string): Opinion {
  return { verdict: "deny", rules: [rule], because, firm: true };
}
