import { placeWrappers } from "./table/place-wrappers.ts";
import { plainWrappers } from "./table/plain-wrappers.ts";
import { projectWrappers } from "./table/project-wrappers.ts";
import type { Wrapper } from "./wrapper.ts";

/** Every program that starts the command in its own words, with where that command begins. A name may have a subcommand behind a blank. */
const rows = [...plainWrappers, ...placeWrappers, ...projectWrappers];

/** The table by name. */
export const wrappers: ReadonlyMap<string, Wrapper> = new Map(
  rows.flatMap(([names, row]) => splitNames(names).map((name) => [name, row] as const)),
);

/** Names with a subcommand are separated by commas, plain ones by blanks. */
function splitNames(names: string): string[] {
  if (names.includes(",")) return names.split(",");
  return /^[\w.-]+ (run|exec|shell)$|^cmake /.test(names) ? [names] : names.split(" ");
}
