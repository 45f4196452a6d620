import { type AbsolutePath, isInside } from "../../model/absolute-path.ts";
import type { Rule } from "../../model/rule.ts";
import { isPlace } from "../rules/denied-places.ts";
import { parsePathPattern } from "../rules/path-pattern.ts";
import { isSystemPlace, whyTooBroad } from "./broad-place.ts";
import type { NeedWorld } from "./mount-need.ts";

/** Where patterns are anchored. */
export interface RuleWorld extends NeedWorld {
  readonly workspace: AbsolutePath;
}

/**
 * The widest place that holds `root` and that one of the rules allows whole. What is shown is then the same for everything in it, so that one sandbox serves all
 * commands that go there. `root` where there is none.
 */
export function ruleRoot(root: AbsolutePath, rules: readonly Rule[], world: RuleWorld): AbsolutePath {
  const patternWorld = { home: world.facts.home, workspace: world.workspace };
  return rules
    .filter(({ exclude }) => exclude.length === 0)
    .flatMap(({ match }) => match.flatMap((pattern) => parsePathPattern(pattern, patternWorld)))
    .filter(isPlace)
    .map(({ fixed }) => world.facts.locate(fixed).real)
    .filter((place) => isInside(place, root) && !isSystemPlace(place) && whyTooBroad(place, world) === undefined)
    .reduce((widest, place) => (place.length < widest.length ? place : widest), root);
}
