import { isInside, maxPathBytes, type AbsolutePath } from "../../../model/absolute-path.ts";
import type { Word } from "../simple-command.ts";
import type { Collector } from "./collector.ts";
import { literal, textOf } from "./words.ts";

/** Folders that every system has: making them again changes nothing. */
const standing: ReadonlySet<string> = new Set([
  "/",
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/home",
  "/lib",
  "/mnt",
  "/media",
  "/opt",
  "/proc",
  "/root",
  "/run",
  "/sbin",
  "/srv",
  "/sys",
  "/tmp",
  "/usr",
  "/usr/local",
  "/usr/bin",
  "/usr/lib",
  "/usr/local/bin",
  "/usr/share",
  "/var",
  "/var/tmp",
  "/var/log",
  "/var/lib",
  "/Users",
]);

/** The folder itself and each folder above it that is named in the word: `a/b/c` gives `a`, `a/b`, `a/b/c`. */
export function withParents(word: Word): readonly Word[] {
  const text = textOf(word);
  // No path is longer: such a word names nothing that can be made.
  if (text === undefined || text.length > maxPathBytes) return [word];
  const found: Word[] = [];
  let at = text.startsWith("/") ? "/" : "";
  for (const part of text.split("/").filter((part) => part !== "")) {
    at = at === "" || at === "/" ? `${at}${part}` : `${at}/${part}`;
    if (part !== "." && part !== "..") found.push(literal(at));
  }
  return found.length === 0 ? [word] : found;
}

/** Records that a folder is made together with those above it that are missing; the working folder, home and what is above them stand already. */
export function makeWithParents(word: Word, out: Collector): void {
  for (const folder of withParents(word)) {
    const text = textOf(folder);
    const stands =
      text?.startsWith("/") === true &&
      (standing.has(text) || [...out.cwds, out.home].some((base) => isInside(text as AbsolutePath, base)));
    if (!stands) out.write(folder);
  }
}

/** Records that the folders above a new file are made, not the file itself. */
export function makeFolderAbove(word: Word, out: Collector): void {
  const text = textOf(word)?.replace(/(?<!\/)\/+$/, "");
  const cut = text?.lastIndexOf("/") ?? -1;
  if (text !== undefined && cut > 0) makeWithParents(literal(text.slice(0, cut)), out);
}
