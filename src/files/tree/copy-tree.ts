import { constants, type BigIntStats } from "node:fs";
import {
  chmod,
  chown,
  lchown,
  lutimes,
  mkdir,
  open,
  readlink,
  symlink,
  utimes,
  type FileHandle,
} from "node:fs/promises";
import type { AbsolutePath } from "../../model/absolute-path.ts";
import { Problem } from "../../model/problem.ts";
import { descriptorPath, pathIn } from "../judged-path.ts";
import type { Way } from "../way-of.ts";
import type { Owner } from "../owner.ts";
import { changed, errorCode, systemProblem } from "../system-problem.ts";
import { copyFileBytes } from "./copy-file.ts";
import { namesOf } from "./names-of.ts";
import { openFolderName, openName, wayTo, type OpenName } from "./open-name.ts";
import {
  assertHere,
  assertNotTooDeep,
  assertNotTooMany,
  assertSameFileSystem,
  type TreeLimits,
} from "./tree-limits.ts";

/** How a tree is copied. */
export interface CopyRules extends TreeLimits {
  /** Bytes of one file. */
  readonly maxFileBytes: number;
  /** Told of bytes before they are written. What it throws ends the copy. */
  readonly spend: (bytes: number) => void;
  /** `keep`: owner, times and mode stay, because the source goes away; otherwise whose the copies are, and undefined: the sidecar's. */
  readonly owner: Owner | undefined | "keep";
  /** True brings the bytes of every file to the disk. */
  readonly sync: boolean;
  /** What becomes of FIFOs, sockets and devices in a folder; one that is copied itself is refused. */
  readonly others: "refuse" | "leave out";
  /** Told of each entry, the top included, before it is read; ends the copy by what it throws. */
  readonly visit: (path: AbsolutePath) => void;
}

/** What was copied. */
export interface Copied {
  readonly entries: number;
  readonly bytes: number;
}

/** What is copied: an open entry, the way to its name, and its path for people. */
export interface Source extends OpenName {
  readonly way: Way;
  readonly path: AbsolutePath;
}

/** Where a copy goes: a name in an open folder, and its path for people. */
export interface Target {
  readonly folder: FileHandle;
  readonly name: string;
  readonly path: AbsolutePath;
}

/**
 * Copies an open entry with all it holds to a new name, by descriptors. Links are copied as links, hard links become files of their own, holes stay holes; set-user-ID bits,
 * access control lists and extended attributes are not kept. What fails leaves the half copy: its caller removes it.
 * @throws Problem; `failed_precondition` for what is no file, folder or link, and where another file system is in it.
 */
export async function copyTree(source: Source, target: Target, rules: CopyRules): Promise<Copied> {
  const work: Work = { top: source, rules, done: { entries: 0, bytes: 0 } };
  await copyEntry(source, target, 0, work);
  return work.done;
}

interface Work {
  readonly top: Source;
  readonly rules: CopyRules;
  readonly done: { entries: number; bytes: number };
}

async function copyEntry(from: Source, to: Target, depth: number, work: Work): Promise<void> {
  const { top, rules, done } = work;
  const { stats, path } = from;
  assertHere(rules.signal);
  assertSameFileSystem(stats, top.stats, path);
  rules.visit(path);
  done.entries += 1;
  assertNotTooMany(done.entries, rules, top.path);
  try {
    if (stats.isDirectory()) await copyFolder(from, to, depth, work);
    else if (stats.isFile()) await copyFile(from, to, work);
    else if (stats.isSymbolicLink()) await copyLink(from, to, rules);
    else if (rules.others === "refuse" || depth === 0)
      throw new Problem("failed_precondition", `${path}: it is no file, folder or link`, { field: "path" });
  } catch (error) {
    throw systemProblem(error, to.path);
  }
}

async function copyFolder(from: Source, to: Target, depth: number, work: Work): Promise<void> {
  assertNotTooDeep(depth + 1, work.top.path);
  await mkdir(wayTo(to.folder, to.name), 0o700);
  const made = await openFolderName(to.folder, to.name);
  if (made === undefined) throw new Problem("aborted", `${from.path}: its copy was replaced`, { field: "path" });
  try {
    for await (const name of namesThere(from)) {
      const child = await openThere(from, name);
      if (child === undefined) continue;
      try {
        await copyEntry(child, { folder: made.handle, name, path: pathIn(to.path, name) }, depth + 1, work);
      } finally {
        await child.handle.close();
      }
    }
    await dress(descriptorPath(made.handle), from.stats, work.rules);
  } finally {
    await made.handle.close();
  }
}

async function* namesThere({ handle, path }: Source): AsyncGenerator<string> {
  try {
    yield* namesOf(handle);
  } catch (error) {
    throw systemProblem(error, path);
  }
}

/** Undefined where it went away meanwhile. */
async function openThere(folder: Source, name: string): Promise<Source | undefined> {
  const path = pathIn(folder.path, name);
  try {
    return { ...(await openName(folder.handle, name)), way: wayTo(folder.handle, name), path };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw systemProblem(error, path);
  }
}

async function copyFile(from: Source, to: Target, { rules, done }: Work): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const copy = await open(wayTo(to.folder, to.name), flags, 0o600);
  try {
    done.bytes += await copyFileBytes(from, copy, { ...rules, path: from.path });
    await dress(descriptorPath(copy), from.stats, rules);
    if (rules.sync) await copy.sync();
  } finally {
    await copy.close();
  }
}

async function copyLink(from: Source, to: Target, { owner }: CopyRules): Promise<void> {
  const target = await linkTarget(from);
  const way = wayTo(to.folder, to.name);
  await symlink(target, way);
  const who = owner === "keep" ? keptOwner(from.stats) : owner;
  if (who !== undefined) await lchown(way, who.uid, who.gid);
  if (owner === "keep") await lutimes(way, seconds(from.stats.atimeNs), seconds(from.stats.mtimeNs));
}

/** By its name: Node cannot read the link that a descriptor holds. Another link that came there meanwhile is a link as well. */
async function linkTarget({ way, path }: Source): Promise<Buffer> {
  try {
    return await readlink(way, { encoding: "buffer" });
  } catch (error) {
    // It is no link any more, or nothing.
    if (["EINVAL", "ENOENT"].includes(errorCode(error))) throw changed(path);
    throw systemProblem(error, path);
  }
}

async function dress(way: string, stats: BigIntStats, { owner }: CopyRules): Promise<void> {
  const who = owner === "keep" ? keptOwner(stats) : owner;
  if (who !== undefined) await chown(way, who.uid, who.gid);
  await chmod(way, Number(stats.mode & (stats.isDirectory() && owner === "keep" ? 0o7777n : 0o777n)));
  if (owner === "keep") await utimes(way, seconds(stats.atimeNs), seconds(stats.mtimeNs));
}

/** Only root gives files away. */
function keptOwner({ uid, gid }: BigIntStats): Owner | undefined {
  return process.geteuid?.() === 0 ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

function seconds(nanos: bigint): number {
  return Number(nanos) / 1e9;
}
