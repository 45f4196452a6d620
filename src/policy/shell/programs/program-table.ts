import { archives } from "./archives.ts";
import { compilers } from "./compilers.ts";
import { compressors } from "./compressors.ts";
import { copies } from "./copies.ts";
import { crypto } from "./crypto.ts";
import { curls } from "./curl.ts";
import { finders } from "./find.ts";
import { gits } from "./git.ts";
import { interpreters } from "./interpreters.ts";
import { npms } from "./npm.ts";
import { packages } from "./packages.ts";
import { permissions } from "./permissions.ts";
import type { Family, Program } from "./program.ts";
import { readers } from "./readers.ts";
import { remotes } from "./remote.ts";
import { searchers } from "./searchers.ts";
import { streamEditors } from "./stream-editors.ts";
import { system } from "./system.ts";
import { tars } from "./tar.ts";
import { tools } from "./tools.ts";
import { transforms } from "./transforms.ts";
import { wgets } from "./wget.ts";
import { writers } from "./writers.ts";

const families: readonly Family[] = [
  readers,
  searchers,
  transforms,
  writers,
  copies,
  permissions,
  finders,
  tars,
  archives,
  compressors,
  gits,
  curls,
  wgets,
  remotes,
  streamEditors,
  compilers,
  npms,
  packages,
  crypto,
  interpreters,
  tools,
  system,
];

const table: ReadonlyMap<string, Program> = new Map(byName());

function byName(): readonly (readonly [string, Program])[] {
  const rows = families
    .flat()
    .flatMap(([names, program]) => names.split(/\s+/).map((name) => [name, program] as const));
  const names = rows.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`the program ${twice} is in the table twice`);
  return rows;
}

/** The program of that base name, or undefined where it is not known. */
export function findProgram(name: string): Program | undefined {
  return table.get(name);
}
