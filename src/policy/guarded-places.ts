import { type AbsolutePath, baseName, isInside, parentOf, parseAbsolutePath } from "../model/absolute-path.ts";
import type { GuardedPlace } from "../model/runtime.ts";
import type { Scope } from "../model/scope.ts";
import { type GuardedName, gitNames, homeNames, projectNames } from "./guarded-names.ts";

/** What was found in the folders that commands may write to. */
export interface FoundProjects {
  /** Folders of projects: roots of granted folders, and those that hold a repository. */
  readonly projects: readonly AbsolutePath[];
  /** Where git keeps repositories, submodules and linked worktrees. */
  readonly gitFolders: readonly AbsolutePath[];
  /** Files called `.git`, which say where such a folder is. */
  readonly gitFiles: readonly AbsolutePath[];
  readonly homes: readonly AbsolutePath[];
}

/** A place with the path up to the first component of its guarded name: `/work/.git` of `/work/.git/hooks`. */
interface Named extends GuardedPlace {
  readonly holder: AbsolutePath;
}

/**
 * What commands must not change in these folders. A writable scope releases what it covers where it was given for that: its root is the holder of the guarded name or
 * lies in it, such as `/work/.git`. The workspace's own scope, which lies above, does not.
 */
export function guardedPlaces(found: FoundProjects, scopes: readonly Scope[]): readonly GuardedPlace[] {
  const places: Named[] = [
    ...found.projects.flatMap((folder) => placesIn(folder, projectNames)),
    ...found.gitFolders.flatMap((folder) => placesIn(folder, gitNames, gitHolder(folder))),
    ...found.gitFiles.map((path) => ({ path, hold: undefined, holder: path })),
    ...found.homes.flatMap((folder) => placesIn(folder, homeNames)),
  ];
  const released = ({ path, holder }: Named): boolean =>
    scopes.some(({ root, access }) => access === "rw" && isInside(holder, root) && isInside(root, path));
  return places.filter((place) => !released(place)).map(({ path, hold }) => ({ path, hold }));
}

/**
 * The guarded place below `folder` that a path lies in, by names alone; undefined where it lies in none. `/work/.git/hooks/pre-commit` lies in `/work/.git/hooks`. That
 * is what has to be writable as a whole: most programs write a file by replacing it.
 */
export function guardedPlaceOf(path: AbsolutePath, folder: AbsolutePath): AbsolutePath | undefined {
  if (!isInside(folder, path)) return undefined;
  const parts = path.split("/");
  const lower = path.toLowerCase().split("/");
  for (let at = folder === "/" ? 1 : folder.split("/").length; at < parts.length; at += 1) {
    const length = lower[at] === ".git" ? gitLength(lower, at) : longestName(lower, at);
    if (length > 0) return parseAbsolutePath(parts.slice(0, at + length).join("/"));
  }
  return undefined;
}

function placesIn(folder: AbsolutePath, names: readonly GuardedName[], holder?: AbsolutePath): Named[] {
  return names.flatMap(({ name, hold }) => {
    const path = parseAbsolutePath(`${folder}/${name}`);
    const first = holder ?? parseAbsolutePath(`${folder}/${name.split("/")[0] ?? ""}`);
    return path === undefined || first === undefined ? [] : [{ path, hold, holder: first }];
  });
}

/** The innermost folder called `.git` that a repository's data lie in; the folder itself where there is none. */
function gitHolder(folder: AbsolutePath): AbsolutePath {
  for (let at = folder; at !== "/"; at = parentOf(at)) if (baseName(at) === ".git") return at;
  return folder;
}

/** Components of the guarded name that begins at `at`; 0 where none does. */
function longestName(parts: readonly string[], at: number): number {
  const found = plainNames.filter((name) => name.every((part, index) => parts[at + index] === part));
  return Math.max(0, ...found.map((name) => name.length));
}

const plainNames = [...projectNames, ...homeNames].map(({ name }) => name.split("/"));

/** The same in a repository's own folder: names of git's are guarded there, and in the folders of its submodules and worktrees. */
function gitLength(parts: readonly string[], at: number): number {
  const below = parts[at + 1];
  if (below === undefined) return 0;
  if (below !== "modules" && below !== "worktrees") return dataNames.has(below) ? 2 : 0;
  const inner = parts.findIndex((part, index) => index > at + 2 && dataNames.has(part));
  return inner < 0 ? 0 : inner - at + 1;
}

const dataNames = new Set(gitNames.map(({ name }) => name));
