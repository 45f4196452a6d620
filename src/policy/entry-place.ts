import { type AbsolutePath, baseName, parentOf, parseAbsolutePath } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";

/** The place of a name itself: the real path of its folder, and the name. Undefined where that is too long. @throws Problem, as Facts do */
export function entryPlace(path: AbsolutePath, facts: Facts): AbsolutePath | undefined {
  return path === "/" ? path : parseAbsolutePath(`${facts.locate(parentOf(path)).real}/${baseName(path)}`);
}
