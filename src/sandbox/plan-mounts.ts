import type { BigIntStats } from "node:fs";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { isInside, parentOf, parseAbsolutePath, type AbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";
import type { GuardedPlace, SandboxSpec } from "../model/runtime.ts";
import type { Scope } from "../model/scope.ts";
import { lookAt } from "./look-at.ts";
import type { Holds } from "./held-names.ts";
import type { MountPlan, PlannedMount } from "./mount-plan.ts";

/** Whoever may write below these owns the machine, so no scope lies in or covers one. */
const forbiddenTrees = [
  "/proc",
  "/sys",
  "/dev",
  "/boot",
  "/run/containerd",
  "/run/docker",
  "/run/podman",
  "/var/lib/docker",
  "/var/lib/containerd",
];

type FolderMount = Extract<PlannedMount, { kind: "folder" }>;

/** Names of the folder that the sandbox keeps for itself. */
export const ownFolder = "/.sallyport";

/**
 * Turns scopes, hidden folders, guarded and locked places into mounts. `engineSockets` are paths that no scope may reach; `holds` keeps names that are guarded and not
 * there, and is let go by the caller, whatever happens here.
 * @throws Problem `failed_precondition` that names the scope and the reason.
 */
export async function planMounts(
  spec: SandboxSpec,
  engineSockets: readonly string[],
  holds: Holds,
): Promise<MountPlan> {
  const hidden = await Promise.all(spec.hidden.map(realOf));
  const sockets = await Promise.all(engineSockets.map((path) => realOf(path)));
  const mounts: PlannedMount[] = [];
  const locked = spec.locked ?? [];
  const scopes = mergeScopes(spec.scopes).map((scope) => (liesIn(scope.root, locked) ? readOnly(scope) : scope));
  for (const scope of scopes) checkScope(scope, hidden, [...engineSockets.map(parsed), ...sockets]);
  const guarded = placesToGuard(guardedWith(locked, spec.guarded ?? []), scopes, hidden);
  for (const scope of scopes)
    if (isShownAlready(scope, scopes, guarded)) await checkInPlace(scope.root);
    else mounts.push(await folderMount(scope.root, scope.access === "ro"));
  const shown = [...mounts];
  for (const place of guarded) mounts.push(...(await planGuard(place, holds)));
  for (const folder of new Set([...spec.hidden, ...hidden])) mounts.push(...(await planMasks(folder, shown)));
  mounts.push(...(await planPins(mounts)));
  mounts.sort((a, b) => depth(a.target) - depth(b.target));
  if (!mounts.some((mount) => mount.kind === "folder" && isInside(mount.target, spec.workspace)))
    throw refuse(spec.workspace, "the workspace is not among the scopes");
  const owner = await look(spec.workspace);
  return { mounts, user: { uid: Number(owner.uid), gid: Number(owner.gid) } };
}

/** One scope a root; of two grants of the same folder the narrower one holds, as in the decision. */
function mergeScopes(scopes: readonly Scope[]): Scope[] {
  const merged = new Map<AbsolutePath, Scope>();
  for (const scope of scopes) if (merged.get(scope.root)?.access !== "ro") merged.set(scope.root, scope);
  return [...merged.values()];
}

function liesIn(path: AbsolutePath, places: readonly AbsolutePath[]): boolean {
  return places.some((place) => isInside(place, path));
}

function readOnly(scope: Scope): Scope {
  return { ...scope, access: "ro" };
}

/** What is locked is guarded as well, where it is there. */
function guardedWith(locked: readonly AbsolutePath[], guarded: readonly GuardedPlace[]): readonly GuardedPlace[] {
  const known = new Set(guarded.map(({ path }) => path));
  return [...guarded, ...locked.filter((path) => !known.has(path)).map((path) => ({ path, hold: undefined }))];
}

/** Why no sandbox is ever shown this folder; undefined where one may be. */
export function whyNeverMounted(root: AbsolutePath): string | undefined {
  if (root === "/") return "the whole file system is never mounted";
  const tree = [...forbiddenTrees, ownFolder].map(parsed).find((each) => isInside(each, root) || isInside(root, each));
  return tree === undefined ? undefined : `${tree} is never mounted`;
}

/** @throws Problem for a folder that no sandbox may show. */
function checkScope({ root }: Scope, hidden: readonly AbsolutePath[], sockets: readonly AbsolutePath[]): void {
  const never = whyNeverMounted(root);
  if (never !== undefined) throw refuse(root, never);
  for (const socket of sockets)
    if (isInside(root, socket)) throw refuse(root, `it holds the container engine's socket ${socket}`);
  for (const folder of hidden) if (isInside(folder, root)) throw refuse(root, "it belongs to Sallyport itself");
}

/** Those that a writable scope shows and no other scope speaks for. */
function placesToGuard(
  places: readonly GuardedPlace[],
  scopes: readonly Scope[],
  hidden: readonly AbsolutePath[],
): GuardedPlace[] {
  return places.filter(
    ({ path }) =>
      innermost(path, scopes)?.access === "rw" &&
      !scopes.some(({ root }) => root === path) &&
      !hidden.some((folder) => isInside(folder, path)),
  );
}

/**
 * True for a writable scope in a writable one: it says that what is guarded there may be changed. It is no mount of its own, for what is a mount cannot be
 * replaced, and that is how most programs write a file.
 */
function isShownAlready(scope: Scope, scopes: readonly Scope[], guarded: readonly GuardedPlace[]): boolean {
  if (scope.access === "ro") return false;
  const outer = innermost(
    scope.root,
    scopes.filter(({ root }) => root !== scope.root),
  );
  return (
    outer?.access === "rw" && !guarded.some(({ path }) => isInside(outer.root, path) && isInside(path, scope.root))
  );
}

function innermost(path: AbsolutePath, scopes: readonly Scope[]): Scope | undefined {
  return scopes
    .filter(({ root }) => isInside(root, path))
    .reduce<Scope | undefined>((a, b) => (a !== undefined && a.root.length > b.root.length ? a : b), undefined);
}

/** A read-only mount of the place onto itself. A link is not guarded: whoever mounts would follow it. */
async function planGuard({ path, hold }: GuardedPlace, holds: Holds): Promise<PlannedMount[]> {
  const held = hold === undefined ? false : await holds.hold(path, hold);
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !(found.isDirectory() || found.isFile())) {
    if (held) throw refuse(path, "it must be kept from commands, and its name cannot be taken");
    return [];
  }
  // Neither is what lies behind one, such as a `.config` that leads to another folder: it is at another path.
  if ((await realOf(path)) !== path) return [];
  return [{ ...(await folderMount(path, true)), guard: true }];
}

/** What lies at a path that was granted; a link on the way came after the grant, which knew real paths only. */
async function look(root: AbsolutePath): Promise<BigIntStats> {
  try {
    return await lookAt(root);
  } catch (error) {
    throw refuse(root, error instanceof Problem ? error.message : "no such folder", error);
  }
}

/** For a scope that is no mount of its own, and may not be there yet: a link in its place is refused all the same. */
async function checkInPlace(root: AbsolutePath): Promise<void> {
  try {
    await lookAt(root);
  } catch (error) {
    if (error instanceof Problem) throw refuse(root, error.message, error);
  }
}

async function folderMount(root: AbsolutePath, readOnly: boolean): Promise<FolderMount> {
  const { dev, ino } = await look(root);
  return { kind: "folder", source: root, target: root, readOnly, identity: { device: dev, inode: ino } };
}

/**
 * Mounts of every folder between a scope and what is masked or granted otherwise below it, onto themselves. Whatever holds a mount could be renamed, and the
 * next container would then be shown what was at the path's old place; what is a mount cannot.
 */
async function planPins(mounts: readonly PlannedMount[]): Promise<PlannedMount[]> {
  const pins = new Map<AbsolutePath, PlannedMount>();
  const folders = mounts.flatMap((mount) => (mount.kind === "folder" ? [mount] : []));
  for (const { target } of mounts) {
    const outer = folders
      .filter((folder) => folder.target !== target && isInside(folder.target, target))
      .reduce<(typeof folders)[number] | undefined>(
        (a, b) => (a && depth(a.target) > depth(b.target) ? a : b),
        undefined,
      );
    // A mask of a folder that is reached by a link has another of its real place.
    if (outer === undefined || (await realOf(target)) !== target) continue;
    for (let at = parentOf(target); at !== outer.target; at = parentOf(at))
      if (!pins.has(at)) pins.set(at, await folderMount(at, outer.readOnly));
  }
  return [...pins.values()];
}

/** Masks for a hidden folder wherever a scope shows it. */
async function planMasks(folder: AbsolutePath, shown: readonly PlannedMount[]): Promise<PlannedMount[]> {
  const targets = new Set<AbsolutePath>();
  for (const mount of shown)
    if (mount.kind === "folder" && isInside(mount.source, folder))
      targets.add(parsed(`${mount.target}${folder.slice(mount.source.length)}`));
  if (targets.size === 0) return [];
  const found = await lstat(folder).catch(() => undefined);
  // A folder that is not there yet would appear inside without a mask: it is made now, for its owner alone.
  if (found === undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
  const kind = found?.isFile() === true ? "mask-file" : "mask-folder";
  return Array.from(targets, (target) => ({ kind, target }));
}

/** The real path as far as it exists; the rest as written. */
async function realOf(path: string): Promise<AbsolutePath> {
  try {
    return parsed(await realpath(path));
  } catch {
    const cut = path.lastIndexOf("/");
    return cut <= 0 ? parsed(path) : parsed(`${await realOf(path.slice(0, cut))}/${path.slice(cut + 1)}`);
  }
}

function parsed(path: string): AbsolutePath {
  const found = parseAbsolutePath(path);
  if (found === undefined) throw new Problem("failed_precondition", `${JSON.stringify(path)} is no absolute path`);
  return found;
}

function depth(path: AbsolutePath): number {
  return path.split("/").length;
}

function refuse(root: AbsolutePath, reason: string, cause?: unknown): Problem {
  return new Problem("failed_precondition", `scope ${root}: ${reason}`, { field: "scopes", cause });
}
