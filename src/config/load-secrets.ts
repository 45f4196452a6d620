import { parseEnv } from "node:util";
import { ConfigProblem } from "./config-fault.ts";
import type { ConfigPaths } from "./config-paths.ts";
import { readConfigFile } from "./read-config-file.ts";

/** Shorter ones could be guessed, and could not be struck out of texts. */
const shortest = 6;

/**
 * The secrets of the owner-only `.env`, by name; without a file, none. `needed` are names that settings use. What is wrong is said without any value.
 * @throws ConfigProblem where others may read the file, or a needed secret is missing or shorter than 6 characters.
 */
export function loadSecrets({ secrets: file }: ConfigPaths, needed: readonly string[]): ReadonlyMap<string, string> {
  const found = readConfigFile(file, undefined, "owner");
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(found === undefined ? {} : parseEnv(found.text)))
    if (value !== undefined && value !== "") values.set(name, value);
  const faults = [...new Set(needed)].flatMap((name) => {
    const value = values.get(name);
    if (value === undefined) return [`has no ${name}, which the settings name`];
    return value.length < shortest ? [`${name} is shorter than ${shortest} characters`] : [];
  });
  if (faults.length > 0) throw new ConfigProblem(faults.map((message) => ({ file, line: 0, column: 0, message })));
  return values;
}
