import { lstat, readFile, rename } from "node:fs/promises";
import { baseName, parentOf, parseAbsolutePath, type AbsolutePath } from "../model/absolute-path.ts";
import { pathOfBytes } from "../model/path-bytes.ts";
import { Problem } from "../model/problem.ts";
import { entryPath, openJudged, type JudgedPath } from "./judged-path.ts";
import { errorCode } from "./system-problem.ts";
import { removeTree } from "./tree/remove-tree.ts";

/** What the sweep made of a note: something was left and is gone or back in its place; nothing was left; or it may still be there, and the note stays. */
export type Swept = "swept" | "gone" | "kept";

/**
 * Cleans up after one note. It touches nothing but what has the noted temporary name, and follows no link.
 * @throws the system's error where the note cannot be read.
 */
export async function sweepNote(place: string, tempName: string): Promise<Swept> {
  const content = await readFile(place);
  const move = moveOf(content);
  try {
    if (move !== undefined) return await sweepMove(move, tempName);
    const path = parseAbsolutePath(pathOfBytes(content));
    return path === undefined || baseName(path) !== tempName
      ? "gone"
      : ((await inFolderOf(path, removeTemp)) ?? "gone");
  } catch {
    return "kept";
  }
}

interface NotedMove {
  readonly original: AbsolutePath;
  readonly aside: AbsolutePath;
  readonly staged: AbsolutePath;
}

function moveOf(content: Buffer): NotedMove | undefined {
  const found = jsonOf(content.toString("utf8"));
  if (typeof found !== "object" || found === null) return undefined;
  const [original, aside, staged] = ["original", "aside", "staged"].map((key) => {
    const value: unknown = Reflect.get(found, key);
    return typeof value === "string" ? parseAbsolutePath(value) : undefined;
  });
  return original === undefined || aside === undefined || staged === undefined
    ? undefined
    : { original, aside, staged };
}

/** Undefined for what is none, a note that a crash left half among it: then nothing was made yet. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The original was moved aside only when the copy was whole. While the copy has its noted name still, the move did not happen. */
async function sweepMove({ original, aside, staged }: NotedMove, tempName: string): Promise<Swept> {
  if ([aside, staged].some((path) => baseName(path) !== tempName) || parentOf(aside) !== parentOf(original))
    return "gone";
  const half = await inFolderOf(staged, exists);
  const old = await inFolderOf(aside, exists);
  if (old === true) {
    // Only where the copy's folder is there, and the copy is not, was it given its name.
    const step = half === false ? removeTemp : putBack(original);
    if ((await inFolderOf(aside, step)) === "kept") return "kept";
  }
  if (half === true) await inFolderOf(staged, removeTemp);
  return old === true || half === true ? "swept" : "gone";
}

type Step<T> = (folder: JudgedPath, name: string) => Promise<T>;

/** Undefined where the folder is not there any more, or another one. */
async function inFolderOf<T>(path: AbsolutePath, step: Step<T>): Promise<T | undefined> {
  let folder: JudgedPath;
  try {
    folder = await openJudged(parentOf(path));
  } catch (error) {
    if (error instanceof Problem && (error.code === "not_found" || error.code === "aborted")) return undefined;
    throw error;
  }
  try {
    return await step(folder, baseName(path));
  } finally {
    await folder.handle.close();
  }
}

async function exists(folder: JudgedPath, name: string): Promise<boolean> {
  try {
    await lstat(entryPath(folder, name));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function removeTemp(folder: JudgedPath, name: string): Promise<Swept> {
  const found = await exists(folder, name);
  if (found) await removeTree(folder.handle, name);
  return found ? "swept" : "gone";
}

/** Gives the original its name back, where nobody has taken it. */
function putBack(original: AbsolutePath): Step<Swept> {
  return async (folder, name) => {
    const back = baseName(original);
    if (await exists(folder, back)) return "kept";
    await rename(entryPath(folder, name), entryPath(folder, back));
    return "swept";
  };
}
