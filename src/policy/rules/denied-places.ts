import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Rule } from "../../model/rule.ts";
import { expandCapability } from "./capability.ts";
import { parsePathPattern, type PathShape, type PatternWorld } from "./path-pattern.ts";

/**
 * Files and folders whose reading the rules deny whole, whatever is asked: what a sandbox can hide instead of trusting words. A pattern with a wildcard before
 * its end names no place, and a rule with exceptions denies none whole; both are held by the decision alone.
 */
export function deniedPlaces(rules: readonly Rule[], world: PatternWorld): readonly AbsolutePath[] {
  const places = rules.flatMap((rule) => {
    if (rule.effect !== "deny" || rule.exclude.length > 0 || !expandCapability(rule.capability).includes("fs_read"))
      return [];
    return rule.match.flatMap((pattern) =>
      parsePathPattern(pattern, world)
        .filter(isPlace)
        .map((shape) => shape.fixed),
    );
  });
  return [...new Set(places)];
}

/** True for a pattern that stands for one file or folder with everything below it. */
export function isPlace({ fixed, components }: PathShape): boolean {
  const literals = fixed.split("/").filter((part) => part !== "").length;
  return literals > 0 && components.length === literals + 1 && components.at(-1)?.kind === "rest";
}
