import type { Header } from "tar-stream";
import { maxPathBytes } from "../../model/absolute-path.ts";
import { pathOfBytes } from "../../model/path-bytes.ts";
import { Problem } from "../../model/problem.ts";
import { staysInside } from "./stays-inside.ts";

/** What an entry of an archive is to become. */
export type ArchiveEntry =
  | { readonly kind: "file"; readonly components: readonly string[]; readonly mode: number; readonly size: number }
  | { readonly kind: "folder"; readonly components: readonly string[] }
  | { readonly kind: "symlink"; readonly components: readonly string[]; readonly target: string }
  /** The same content as an entry before it. */
  | { readonly kind: "copy"; readonly components: readonly string[]; readonly source: readonly string[] };

/** An archive's entry is not what it says, or nothing that may be unpacked. */
export function hostileEntry(name: string, reason: string): Problem {
  return new Problem("invalid_argument", `data: entry ${JSON.stringify(name)}: ${reason}`, { field: "data" });
}

/**
 * Reads the head of an entry, whose names were read as Latin-1 so that their bytes are known. Undefined for the folder itself.
 * @throws Problem `invalid_argument` that names the entry
 */
export function readHead(head: Header): ArchiveEntry | undefined {
  const pax = paxOf(head);
  const name = nameOf(head.name, pax["path"]);
  const components = componentsOf(name, name);
  const { size } = head;
  if (!Number.isSafeInteger(size) || size < 0) throw hostileEntry(name, "its size is no number");
  if (Object.keys(pax).some((key) => key.startsWith("GNU.sparse"))) throw hostileEntry(name, "it is a sparse file");
  if (head.type === "directory") {
    if (size > 0) throw hostileEntry(name, "a folder has no content");
    return components.length === 0 ? undefined : { kind: "folder", components };
  }
  if (components.length === 0) throw hostileEntry(name, "it has no name");
  switch (head.type) {
    case "file":
    case "contiguous-file":
      return { kind: "file", components, size, mode: head.mode & 0o777 };
    case "symlink": {
      const target = targetOf(head, pax);
      if (size > 0) throw hostileEntry(name, "a link has no content");
      if (target.length > maxPathBytes) throw hostileEntry(name, "its target is too long");
      if (!staysInside(components, target)) throw hostileEntry(name, "it is a link that leads out of the folder");
      return { kind: "symlink", components, target };
    }
    case "link": {
      if (size > 0) throw hostileEntry(name, "a link has no content");
      return { kind: "copy", components, source: componentsOf(targetOf(head, pax), name) };
    }
    case "character-device":
    case "block-device":
    case "fifo":
      throw hostileEntry(name, `it is a ${head.type}`);
    default:
      throw hostileEntry(name, "it is of a kind that is not unpacked");
  }
}

type Pax = Readonly<Record<string, string | undefined>>;

/** The extended head (pax), where there is one. */
function paxOf({ pax }: Header): Pax {
  return typeof pax === "object" && pax !== null ? (pax as Pax) : {};
}

/** A head without a target has null in its place, whatever the library's types say. */
function targetOf(head: Header, pax: Pax): string {
  const target: unknown = head.linkname;
  return nameOf(typeof target === "string" ? target : "", pax["linkpath"]);
}

/** A name as a text: from its bytes, or from the extended head, which the library has read as UTF-8 already. */
function nameOf(latin1: string, extended: string | undefined): string {
  if (extended === undefined || extended === "") {
    const name = pathOfBytes(Buffer.from(latin1, "latin1"));
    if (!name.isWellFormed()) throw hostileEntry(name.toWellFormed(), "its name is not UTF-8");
    return name;
  }
  // What was no UTF-8 stands as this character by now.
  if (extended.includes("\ufffd")) throw hostileEntry(extended, "its name is not UTF-8");
  return extended;
}

function componentsOf(path: string, name: string): string[] {
  if (path.startsWith("/")) throw hostileEntry(name, "an absolute path");
  if (path.includes("\0")) throw hostileEntry(name, "its name holds a NUL");
  const components = path.split("/").filter((part) => part !== "" && part !== ".");
  if (components.includes("..")) throw hostileEntry(name, "its path leads upwards");
  return components;
}
