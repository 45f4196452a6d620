import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Rule } from "../../model/rule.ts";
import { expandCapability } from "./capability.ts";
import { parsePathPattern, type PathShape } from "./path-pattern.ts";
import type { PatternWorld } from "./root-pattern.ts";
import { unicodeForms } from "./unicode-forms.ts";

/**
 * Files and folders whose reading, or writing, the rules deny whole, whatever is asked: what a sandbox can hide, or show for reading alone, instead of trusting words. A pattern with a wildcard before
 * its end names no place, and a rule with exceptions denies none whole; both are held by the decision alone.
 */
export function deniedPlaces(
  capability: "fs_read" | "fs_write",
  rules: readonly Rule[],
  world: PatternWorld,
): readonly AbsolutePath[] {
  const places = rules.flatMap((rule) => {
    if (rule.effect !== "deny" || rule.exclude.length > 0 || !expandCapability(rule.capability).includes(capability))
      return [];
    return rule.match.flatMap(unicodeForms).flatMap((pattern) =>
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
