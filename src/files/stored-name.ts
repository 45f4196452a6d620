import { lstatSync, readdirSync, type BigIntStats } from "node:fs";
import { pathOfBytes } from "../model/path-bytes.ts";
import { wayOf } from "./way-of.ts";

/** What tells one file of a file system from another. */
export type Identity = Pick<BigIntStats, "dev" | "ino">;

/**
 * How a folder itself spells a name by which one of its entries was found. On file systems that take `README` for `readme`, or `é` in one form for the other, a rule about the one must
 * hold for the other, and the kernel only tells the spelling that it was asked for. `folder` is a way to an existing folder, `found` what was found under the name. Undefined where
 * nobody can tell.
 *
 * Costs one look for a name with letters where the file system takes names as they are.
 */
export function storedName(folder: string, name: string, found: Identity): string | undefined {
  if (!otherSpellings(name).some((other) => isSame(look(folder, other), found))) return name;
  // Another spelling leads to the same: such a file system, or a hard link.
  const names = readdirSync(wayOf(folder), { encoding: "latin1" }).map((each) =>
    pathOfBytes(Buffer.from(each, "latin1")),
  );
  if (names.includes(name)) return name;
  const alike = names.filter((each) => folded(each) === folded(name));
  return [...alike, ...names].find((each) => isSame(look(folder, each), found));
}

/** Names that a file system that folds names would take for this one: the other case, the other forms of Unicode, without what it ignores. */
function otherSpellings(name: string): string[] {
  const others = [
    swapCase(name),
    name.normalize("NFC"),
    name.normalize("NFD"),
    name.replace(/\p{Default_Ignorable_Code_Point}/gu, ""),
    // Of FAT and NTFS.
    name.replace(/[. ]+$/, ""),
  ];
  return [...new Set(others)].filter((other) => other !== name && other !== "" && other !== "." && other !== "..");
}

function swapCase(name: string): string {
  const upper = name.toUpperCase();
  return upper === name ? name.toLowerCase() : upper;
}

function folded(name: string): string {
  return name.normalize("NFD").toLowerCase();
}

function look(folder: string, name: string): BigIntStats | undefined {
  try {
    return lstatSync(wayOf(`${folder}/${name}`), { bigint: true, throwIfNoEntry: false });
  } catch {
    // Such as a name that has become too long.
    return undefined;
  }
}

function isSame(a: Identity | undefined, b: Identity): boolean {
  return a !== undefined && a.ino === b.ino && a.dev === b.dev;
}
