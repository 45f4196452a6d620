import { type AbsolutePath, isInside } from "../../model/absolute-path.ts";
import type { Rule } from "../../model/rule.ts";
import { isPlace } from "../rules/denied-places.ts";
import { moveShape, parsePathPattern, shapeCovers, subtreeShape } from "../rules/path-pattern.ts";
import { isSystemPlace, whyTooBroad } from "./broad-place.ts";
import type { NeedWorld } from "./mount-need.ts";

/** Where patterns are anchored. */
export interface RuleWorld extends NeedWorld {
  readonly workspace: AbsolutePath;
}

/** What the rules that allow something in a place say about the place. */
export interface RuleRoot {
  /**
   * The widest place that holds it, that one of the rules allows whole and that may be mounted; the place itself where there is none. What is shown is then the
   * same for all commands that go there, so that one sandbox serves them.
   */
  readonly root: AbsolutePath;
  /** True where one of the rules allows all of the place. */
  readonly covers: boolean;
}

/** Looks for a place in rules that allow. One with exceptions allows no place whole. */
export function ruleRoot(place: AbsolutePath, rules: readonly Rule[], world: RuleWorld): RuleRoot {
  const patternWorld = { home: world.facts.home, workspace: world.workspace };
  const shapes = rules
    .filter(({ exclude }) => exclude.length === 0)
    .flatMap(({ match }) => match.flatMap((pattern) => parsePathPattern(pattern, patternWorld)))
    .map((shape) => moveShape(shape, world.facts.locate(shape.fixed).real));
  const root = shapes
    .filter(isPlace)
    .map(({ fixed }) => fixed)
    .filter((wide) => isInside(wide, place) && !isSystemPlace(wide) && whyTooBroad(wide, world) === undefined)
    .reduce((widest, wide) => (wide.length < widest.length ? wide : widest), place);
  const whole = subtreeShape(place);
  return { root, covers: shapes.some((shape) => shapeCovers(shape, whole)) };
}
