import { lstat, opendir } from "node:fs/promises";
import { type AbsolutePath, baseName, isInside, parentOf, resolvePath } from "../model/absolute-path.ts";
import type { FoundProjects } from "../policy/guarded-places.ts";

/** So many folders are looked into, nearest first: what lies further down in a larger tree is not found. */
const mostFolders = 20_000;

/** So many names are read of one folder: a command may have made millions. What lies further on is not looked into, save for a repository of the folder itself. */
const mostNames = 10_000;

/** And so many of all folders together. */
const mostNamesOfAll = 1_000_000;

/** So many repositories are found, submodules and worktrees counted: each takes mounts. */
const mostRepositories = 64;

/** Folders that hold other people's code by the thousand. */
const skipped = new Set(["node_modules", ".git", ".venv", "__pycache__", ".cache", "target"]);

interface Finds {
  readonly projects: Set<AbsolutePath>;
  readonly gitFolders: Set<AbsolutePath>;
  readonly gitFiles: Set<AbsolutePath>;
  left: number;
  namesLeft: number;
}

/** A folder, or a file that says that its folder is a repository's. */
interface Entry {
  readonly name: string;
  readonly kind: "folder" | "file";
}

/** Names by which a repository is known. */
const telling: ReadonlySet<string> = new Set([".git", "HEAD"]);

/**
 * Looks for projects in folders that commands may write to. What cannot be read holds none. Links are not followed. `known`: what was found there before; what of it is
 * still there is found first, however many folders a command has made meanwhile.
 */
export async function findProjects(
  roots: readonly AbsolutePath[],
  homes: readonly AbsolutePath[],
  known: FoundProjects,
): Promise<FoundProjects> {
  const finds: Finds = {
    projects: new Set(roots),
    gitFolders: new Set(),
    gitFiles: new Set(),
    left: mostFolders,
    namesLeft: mostNamesOfAll,
  };
  for (const git of known.gitFolders) if ((await kindOf(git)) === "folder") takeGitFolder(git, finds);
  for (const git of known.gitFiles) if ((await kindOf(git)) === "file") takeGitFile(git, finds);
  let level: readonly AbsolutePath[] = roots;
  while (level.length > 0 && finds.left > 0) level = await nextLevel(level, finds);
  const { projects, gitFolders, gitFiles } = finds;
  const shown = homes.filter((home) => roots.some((root) => isInside(root, home)));
  return { projects: [...projects], gitFolders: [...gitFolders], gitFiles: [...gitFiles], homes: shown };
}

async function nextLevel(folders: readonly AbsolutePath[], finds: Finds): Promise<AbsolutePath[]> {
  const next: AbsolutePath[] = [];
  for (let at = 0; at < folders.length && finds.left > 0; at += 64) {
    const some = folders.slice(at, Math.min(at + 64, at + finds.left));
    finds.left -= some.length;
    const lists = await Promise.all(some.map((folder) => entriesOf(folder, finds)));
    for (const [index, folder] of some.entries()) {
      const entries = lists[index] ?? [];
      await takeRepository(folder, entries, finds);
      for (const entry of entries) {
        const path = entry.kind === "folder" && !skipped.has(entry.name) ? resolvePath(folder, entry.name) : undefined;
        if (path !== undefined) next.push(path);
      }
    }
  }
  return next;
}

async function takeRepository(folder: AbsolutePath, entries: readonly Entry[], finds: Finds): Promise<void> {
  const git = resolvePath(folder, ".git");
  const entry = entries.find(({ name }) => name === ".git");
  if (git === undefined || entry === undefined) return;
  if (entry.kind === "file") {
    takeGitFile(git, finds);
    return;
  }
  takeGitFolder(git, finds);
  for (const inner of ["modules", "worktrees"]) {
    const inside = resolvePath(git, inner);
    if (inside !== undefined) await takeInner(inside, finds);
  }
}

function takeGitFile(path: AbsolutePath, finds: Finds): void {
  if (isFull(finds) || finds.gitFiles.has(path)) return;
  finds.gitFiles.add(path);
  finds.projects.add(parentOf(path));
}

/** A submodule's or a worktree's lies in another repository's, and makes no project of that. */
function takeGitFolder(path: AbsolutePath, finds: Finds): void {
  if (isFull(finds) || finds.gitFolders.has(path)) return;
  finds.gitFolders.add(path);
  if (baseName(path) === ".git") finds.projects.add(parentOf(path));
}

/** Folders with a `HEAD`: a submodule's may lie deeper, for its name may hold slashes, and have submodules of its own. */
async function takeInner(folder: AbsolutePath, finds: Finds): Promise<void> {
  if (isFull(finds) || finds.left <= 0) return;
  finds.left -= 1;
  const entries = await entriesOf(folder, finds);
  const isGit = entries.some(({ name }) => name === "HEAD");
  if (isGit) takeGitFolder(folder, finds);
  for (const entry of entries) {
    const inner =
      entry.kind === "folder" && (!isGit || entry.name === "modules") ? resolvePath(folder, entry.name) : undefined;
    if (inner !== undefined) await takeInner(inner, finds);
  }
}

function isFull({ gitFolders, gitFiles }: Finds): boolean {
  return gitFolders.size + gitFiles.size >= mostRepositories;
}

/** Folders and telling files in a folder, as far as it is read. */
async function entriesOf(folder: AbsolutePath, finds: Finds): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  let names = 0;
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      names += 1;
      finds.namesLeft -= 1;
      if (names > mostNames || finds.namesLeft < 0) return [...found, ...(await tellingEntries(folder, found))];
      if (entry.isDirectory()) found.push({ name: entry.name, kind: "folder" });
      else if (entry.isFile() && telling.has(entry.name)) found.push({ name: entry.name, kind: "file" });
    }
  } catch {
    // It went away, or is not for this user.
  }
  return found;
}

/** Those that were not met yet. */
async function tellingEntries(folder: AbsolutePath, met: readonly Entry[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const name of telling) {
    const path = resolvePath(folder, name);
    const kind = path === undefined || met.some((entry) => entry.name === name) ? undefined : await kindOf(path);
    if (kind !== undefined) entries.push({ name, kind });
  }
  return entries;
}

async function kindOf(path: AbsolutePath): Promise<Entry["kind"] | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return "folder";
  return found?.isFile() === true ? "file" : undefined;
}
