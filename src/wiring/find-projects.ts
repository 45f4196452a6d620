import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { type AbsolutePath, isInside, resolvePath } from "../model/absolute-path.ts";
import type { FoundProjects } from "../policy/guarded-places.ts";

/** So many folders are looked into, nearest first: what lies further down in a larger tree is not found. */
const mostFolders = 20_000;

/** So many repositories are found, submodules and worktrees counted: each takes mounts. */
const mostRepositories = 64;

/** Folders that hold other people's code by the thousand. */
const skipped = new Set(["node_modules", ".git", ".venv", "__pycache__", ".cache", "target"]);

interface Finds {
  readonly projects: Set<AbsolutePath>;
  readonly gitFolders: AbsolutePath[];
  readonly gitFiles: AbsolutePath[];
  left: number;
}

/** Looks for projects in folders that commands may write to. What cannot be read holds none. Links are not followed. */
export async function findProjects(
  roots: readonly AbsolutePath[],
  homes: readonly AbsolutePath[],
): Promise<FoundProjects> {
  const finds: Finds = { projects: new Set(roots), gitFolders: [], gitFiles: [], left: mostFolders };
  let level: readonly AbsolutePath[] = roots;
  while (level.length > 0 && finds.left > 0) level = await nextLevel(level, finds);
  const { projects, gitFolders, gitFiles } = finds;
  const shown = homes.filter((home) => roots.some((root) => isInside(root, home)));
  return { projects: [...projects], gitFolders, gitFiles, homes: shown };
}

async function nextLevel(folders: readonly AbsolutePath[], finds: Finds): Promise<AbsolutePath[]> {
  const next: AbsolutePath[] = [];
  for (let at = 0; at < folders.length && finds.left > 0; at += 64) {
    const some = folders.slice(at, Math.min(at + 64, at + finds.left));
    finds.left -= some.length;
    const lists = await Promise.all(some.map(entriesOf));
    for (const [index, folder] of some.entries()) {
      const entries = lists[index] ?? [];
      await takeRepository(folder, entries, finds);
      for (const entry of entries) {
        const path = entry.isDirectory() && !skipped.has(entry.name) ? resolvePath(folder, entry.name) : undefined;
        if (path !== undefined) next.push(path);
      }
    }
  }
  return next;
}

async function takeRepository(folder: AbsolutePath, entries: readonly Dirent[], finds: Finds): Promise<void> {
  const git = resolvePath(folder, ".git");
  const entry = entries.find(({ name }) => name === ".git");
  if (git === undefined || entry === undefined || isFull(finds)) return;
  finds.projects.add(folder);
  if (entry.isFile()) finds.gitFiles.push(git);
  if (!entry.isDirectory()) return;
  finds.gitFolders.push(git);
  for (const inner of ["modules", "worktrees"]) {
    const inside = resolvePath(git, inner);
    if (inside !== undefined) await takeInner(inside, finds);
  }
}

/** Folders with a `HEAD`: a submodule's may lie deeper, for its name may hold slashes, and have submodules of its own. */
async function takeInner(folder: AbsolutePath, finds: Finds): Promise<void> {
  if (isFull(finds) || finds.left <= 0) return;
  finds.left -= 1;
  const entries = await entriesOf(folder);
  const isGit = entries.some(({ name }) => name === "HEAD");
  if (isGit) finds.gitFolders.push(folder);
  for (const entry of entries) {
    const inner =
      entry.isDirectory() && (!isGit || entry.name === "modules") ? resolvePath(folder, entry.name) : undefined;
    if (inner !== undefined) await takeInner(inner, finds);
  }
}

function isFull({ gitFolders, gitFiles }: Finds): boolean {
  return gitFolders.length + gitFiles.length >= mostRepositories;
}

async function entriesOf(folder: AbsolutePath): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
