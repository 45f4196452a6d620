import { setImmediate } from "node:timers/promises";
import { type AbsolutePath, maxPathBytes } from "../../model/absolute-path.ts";
import type { EntryVerdict } from "../../model/gate-ports.ts";
import { bytesOfPath } from "../../model/path-bytes.ts";
import { Problem } from "../../model/problem.ts";
import type { FileKind } from "../file-info.ts";
import { type JudgedNow, pathIn, withJudged } from "../judged-path.ts";
import { type FolderName, folderNames } from "./folder-names.ts";
import { type IgnoreStack, ignoreStackAt } from "./ignore-stack.ts";

/** One entry below a folder. */
export interface WalkEntry {
  readonly path: AbsolutePath;
  /** Its path below the walked folder, by components. */
  readonly components: readonly string[];
  readonly kind: FileKind;
  /** `ask`: it may be named, but neither read nor entered. */
  readonly verdict: "allow" | "ask";
}

/** How a walk goes. */
export interface WalkOptions {
  readonly root: AbsolutePath;
  readonly verdict: EntryVerdict;
  readonly honorIgnoreFiles: boolean;
  /** Names that are neither named nor entered. */
  readonly skips?: (name: string) => boolean;
  /** Levels below the root. */
  readonly depth: number;
  /** Entries up to this one, by its components, are left out. */
  readonly after?: readonly string[];
  readonly signal: AbortSignal;
}

/** Milliseconds after which others get their turn. */
const turnMs = 8;

/** Names looked at in one walk. */
const maxWalked = 2_000_000;

/**
 * Goes through a folder in the order of names, a folder right before what is in it. Links and other file systems are named, not entered. What may not be read is not named; what
 * goes meanwhile, cannot be opened, or has a path that is longer than the kernel takes, is left out. Each folder is opened by its judged path, looked at and closed again: what is swapped for
 * a link meanwhile is not entered.
 * @throws Problem `failed_precondition` where the root is no folder, `resource_exhausted`, `cancelled`, `aborted`, `not_found` …
 */
export async function* walkFolder(options: WalkOptions): AsyncGenerator<WalkEntry> {
  let since = performance.now();
  for (const entry of steps(options)) {
    if (performance.now() - since > turnMs) {
      await setImmediate();
      since = performance.now();
    }
    if (options.signal.aborted)
      throw new Problem("cancelled", "the caller went away", { cause: options.signal.reason });
    if (entry !== undefined) yield entry;
  }
}

interface Frame {
  readonly path: AbsolutePath;
  readonly components: readonly string[];
  readonly names: readonly FolderName[];
  readonly ignore: IgnoreStack | undefined;
  readonly after: readonly string[];
  at: number;
}

/** One step a name: undefined for one that is left out, so that the walk can be interrupted there too. */
function* steps({
  root,
  verdict,
  honorIgnoreFiles,
  skips,
  depth,
  after = [],
}: WalkOptions): Generator<WalkEntry | undefined> {
  const { names, device } = withJudged(root, (place) => ({ names: namesIn(place), device: place.stats.dev }));
  const ignore = honorIgnoreFiles ? ignoreStackAt(root, verdict) : undefined;
  const stack: Frame[] = [{ path: root, components: [], names, ignore, after, at: 0 }];
  let walked = 0;
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const next = frame.names[frame.at];
    frame.at += 1;
    if (next === undefined) {
      stack.pop();
      continue;
    }
    walked += 1;
    if (walked > maxWalked)
      throw new Problem("resource_exhausted", `${root}: it holds more than ${maxWalked} entries`, { field: "path" });
    const entry = skips?.(next.name) === true ? undefined : entryOf(frame, next, verdict);
    const isPast = frame.after[0] === undefined || next.name > frame.after[0];
    yield isPast ? entry : undefined;
    if (entry === undefined || entry.kind !== "folder" || entry.verdict !== "allow" || stack.length >= depth) continue;
    const inside = isPast ? [] : next.name === frame.after[0] ? frame.after.slice(1) : undefined;
    if (inside === undefined) continue;
    const found = namesBelow(entry.path, device);
    if (found === undefined) continue;
    const { path, components } = entry;
    stack.push({ path, components, names: found, ignore: frame.ignore?.enter(next.name), after: inside, at: 0 });
  }
}

function entryOf(frame: Frame, { name, kind }: FolderName, verdict: EntryVerdict): WalkEntry | undefined {
  const path = pathIn(frame.path, name);
  if (path.length * 3 > maxPathBytes && bytesOfPath(path).length > maxPathBytes) return undefined;
  if (frame.ignore?.ignores(name, kind === "folder") === true) return undefined;
  const found = verdict(path);
  return found === "deny" ? undefined : { path, components: [...frame.components, name], kind, verdict: found };
}

function namesIn(place: JudgedNow): FolderName[] {
  if (!place.stats.isDirectory())
    throw new Problem("failed_precondition", `${place.path}: it is no folder`, { field: "path" });
  return folderNames(place);
}

/** Undefined where it is another file system, or cannot be opened by now. */
function namesBelow(path: AbsolutePath, device: bigint): FolderName[] | undefined {
  try {
    return withJudged(path, (place) => (place.stats.dev === device ? namesIn(place) : undefined));
  } catch (error) {
    if (error instanceof Problem && error.code !== "resource_exhausted") return undefined;
    throw error;
  }
}
