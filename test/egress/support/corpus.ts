import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One line of the shared list of egress cases. */
export interface Vector {
  readonly id: string;
  readonly group: string;
  readonly input: string;
  readonly expected: string;
  readonly note: string;
}

const file = join(import.meta.dirname, "../../corpus/egress-vectors.json");

export function vectors(group: string): readonly Vector[] {
  const all = JSON.parse(readFileSync(file, "utf8")) as Vector[];
  return all.filter((vector) => vector.group === group);
}

/** The ids of a group that a table does not mention: must be empty, so that no case is forgotten. */
export function forgotten(group: string, ...tables: readonly object[]): string[] {
  return vectors(group)
    .map(({ id }) => id)
    .filter((id) => !tables.some((table) => id in table));
}
