import { lstatSync } from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import { type AbsolutePath, baseName, parentOf } from "../../model/absolute-path.ts";
import type { EntryVerdict } from "../../model/gate-ports.ts";
import { Problem } from "../../model/problem.ts";
import { type FileKind, kindOf } from "../file-info.ts";
import { pathIn, withJudged } from "../judged-path.ts";
import { wayOf } from "../way-of.ts";
import { type IgnoreStack, ignoreStackAt } from "../walk/ignore-stack.ts";
import { Changes } from "./changes.ts";
import type { EventMeter } from "./event-meter.ts";
import { type WatchedFolder, WatchedFolders, type WatchRoom } from "./watched-folders.ts";

/** Something that happened below a watched folder. */
export type WatchChange =
  /** From here on nothing is missed unless it is said. */
  | { readonly kind: "ready" }
  | { readonly kind: "changed"; readonly path: AbsolutePath; readonly fileKind: FileKind }
  | { readonly kind: "removed"; readonly path: AbsolutePath }
  /** Changes were lost. */
  | { readonly kind: "overflow" };

/** What a watch works with. */
export interface WatchParts {
  readonly root: AbsolutePath;
  readonly honorIgnoreFiles: boolean;
  /** As rules are now. @throws Problem where the folder itself may not be watched any more: that ends the watch */
  readonly verdict: () => EntryVerdict;
  readonly room: WatchRoom;
  readonly meter: EventMeter;
  readonly signal: AbortSignal;
}

/** Milliseconds in which changes of one path become one. */
const togetherMs = 50;
/** Milliseconds after which a quiet watch looks whether it may go on. */
const lookMs = 1000;
/** Entries that are looked at before others get their turn. */
const batch = 256;

/** Temporary files of the sidecar's own writes. */
const ownTemp = /^\.sallyport-[0-9a-f]{32}\.tmp$/;

/**
 * Watches a folder with everything below it until the signal aborts. Links and other file systems are not entered, what may not be read is not named. A folder is watched by its inode, and
 * what happens in it is looked at where its path leads by then: a folder that was moved away tells nothing any more.
 * @throws Problem `failed_precondition` where it is no folder, `not_found` when it is gone, `resource_exhausted`, and what `verdict` throws
 */
export async function* watchFolder(parts: WatchParts): AsyncGenerator<WatchChange> {
  const { root, signal, meter } = parts;
  const changes = new Changes();
  const folders = new WatchedFolders(parts.room, (folder, name) => {
    meter.count();
    // What happens to a folder itself, its parent tells as well.
    if (name !== undefined) changes.add(pathIn(folder, name));
    else if (folder === root) changes.add(root);
  });
  const stop = meter.onLoss(() => changes.lose());
  try {
    const tree: Tree = { ...parts, folders, device: deviceOf(root) };
    await enterAll(tree);
    yield { kind: "ready" };
    while (!signal.aborted) {
      await changes.some(lookMs, signal);
      const verdict = parts.verdict();
      if (changes.isEmpty) continue;
      await setTimeout(togetherMs, undefined, { signal }).catch(() => undefined);
      const { lost, paths } = changes.take();
      if (lost) {
        // Folders may have come of which nothing is known.
        folders.drop(root);
        await enterAll(tree);
        yield { kind: "overflow" };
      }
      for (const path of paths) yield* look(tree, path, verdict);
    }
  } finally {
    stop();
    folders.drop(root);
  }
}

interface Tree extends WatchParts {
  readonly folders: WatchedFolders;
  readonly device: bigint;
}

function deviceOf(root: AbsolutePath): bigint {
  return withJudged(root, ({ stats }) => {
    if (!stats.isDirectory()) throw new Problem("failed_precondition", `${root}: it is no folder`, { field: "path" });
    return stats.dev;
  });
}

async function enterAll(tree: Tree): Promise<void> {
  const verdict = tree.verdict();
  const ignore = tree.honorIgnoreFiles ? ignoreStackAt(tree.root, verdict) : undefined;
  for await (const _ of enter(tree, tree.root, ignore, verdict));
}

/** Watches a folder that is new, and those in it; says what is in them. */
async function* enter(
  tree: Tree,
  path: AbsolutePath,
  ignore: IgnoreStack | undefined,
  verdict: EntryVerdict,
): AsyncGenerator<WatchChange> {
  const open = [{ path, ignore }];
  let looked = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { name, kind } of tree.folders.add(next.path, next.ignore, tree.device) ?? []) {
      looked += 1;
      if (looked % batch === 0) {
        await setImmediate();
        if (tree.signal.aborted) return;
      }
      const entry = pathIn(next.path, name);
      if (isHidden(next.ignore, name, kind === "folder")) continue;
      const found = verdict(entry);
      if (found === "deny") continue;
      yield { kind: "changed", path: entry, fileKind: kind };
      if (kind === "folder" && found === "allow") open.push({ path: entry, ignore: next.ignore?.enter(name) });
    }
  }
}

/** Looks what became of a path to which something happened. */
async function* look(tree: Tree, path: AbsolutePath, verdict: EntryVerdict): AsyncGenerator<WatchChange> {
  const { root, folders } = tree;
  if (path === root) {
    if (!isSame(folders.get(root))) throw new Problem("not_found", `${root}: it is gone`, { field: "path" });
    return;
  }
  const folder = folders.get(parentOf(path));
  if (folder === undefined || !mayEnter(tree, folder.path, verdict)) return;
  const name = baseName(path);
  const found = verdict(path);
  const kind = found === "deny" ? "deny" : kindIn(folder, name);
  if (kind === "deny" || isHidden(folder.ignore, name, kind === "folder" || kind === "gone")) return;
  if (kind !== "folder") folders.drop(path);
  if (kind === "moved") folders.drop(folder.path);
  else if (kind === "gone") yield { kind: "removed", path };
  else yield { kind: "changed", path, fileKind: kind };
  if (kind === "folder" && found === "allow") yield* enter(tree, path, folder.ignore?.enter(name), verdict);
}

/** True where nothing on the way down is refused by now; what is, is not watched any more. */
function mayEnter({ root, folders }: Tree, folder: AbsolutePath, verdict: EntryVerdict): boolean {
  for (let at = folder; at !== root; at = parentOf(at))
    if (verdict(at) !== "allow") {
      folders.drop(at);
      return false;
    }
  return true;
}

/** What a name in a watched folder is now; `moved` where the folder itself is not at its path any more. */
function kindIn({ path, inode }: WatchedFolder, name: string): FileKind | "gone" | "moved" {
  try {
    return withJudged(path, ({ stats, way }) => {
      if (stats.ino !== inode) return "moved";
      const found = lstatSync(wayOf(`${way}/${name}`), { bigint: true, throwIfNoEntry: false });
      return found === undefined ? "gone" : kindOf(found);
    });
  } catch (error) {
    if (error instanceof Problem) return "moved";
    throw error;
  }
}

function isSame(folder: WatchedFolder | undefined): boolean {
  return folder !== undefined && kindIn(folder, ".") !== "moved";
}

function isHidden(ignore: IgnoreStack | undefined, name: string, isFolder: boolean): boolean {
  return ownTemp.test(name) || ignore?.ignores(name, isFolder) === true;
}
