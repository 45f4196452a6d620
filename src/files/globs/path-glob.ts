import { matchesName, type NameGlob, parseNameGlob } from "./name-glob.ts";

/** A pattern for a path: components, and `rest` for `**`, which stands for any number of them. */
export type PathGlob = readonly (NameGlob | "rest")[];

/** Reads a pattern with `/` between its components. Undefined where one of them names nothing. */
export function parsePathGlob(text: string): PathGlob | undefined {
  const found: (NameGlob | "rest")[] = [];
  for (const part of text.split("/")) {
    if (part === "**") {
      if (found.at(-1) !== "rest") found.push("rest");
      continue;
    }
    const name = parseNameGlob(part);
    if (name === undefined) return undefined;
    found.push(name);
  }
  return found;
}

/** Matches the whole path. As with names, only the last `**` is ever taken back. A `**` at the end stands for at least one component: what is in a folder is not the folder. */
export function matchesPath(glob: PathGlob, components: readonly string[]): boolean {
  const last = glob.length - 1;
  let [at, part] = [0, 0];
  let [resumeAt, resumePart] = [0, -1];
  while (at < components.length) {
    const now = glob[part];
    if (now === "rest") {
      if (part === last) return true;
      [resumeAt, resumePart] = [at, part];
      part += 1;
    } else if (now !== undefined && matchesName(now, components[at] ?? "")) {
      at += 1;
      part += 1;
    } else if (resumePart >= 0) {
      resumeAt += 1;
      [at, part] = [resumeAt, resumePart + 1];
    } else return false;
  }
  return part > last;
}
