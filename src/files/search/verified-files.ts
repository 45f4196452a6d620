import { closeSync, constants, openSync, readSync } from "node:fs";
import { type AbsolutePath, maxPathBytes, parentOf } from "../../model/absolute-path.ts";
import type { EntryVerdict } from "../../model/gate-ports.ts";
import { bytesOfPath, pathOfBytes } from "../../model/path-bytes.ts";
import { Problem } from "../../model/problem.ts";
import { pathIn, withJudged } from "../judged-path.ts";
import type { Candidate } from "./ripgrep-message.ts";

/** Folders whose verdict is kept. */
const maxKept = 10_000;

/** Looks up what a search program said. */
export interface VerifiedFiles {
  /** The file that a candidate is in, where it is one that may be shown and holds this very line at this place; undefined otherwise. */
  readonly find: (candidate: Candidate) => AbsolutePath | undefined;
  /** Closes the file that was looked at last. */
  readonly close: () => void;
}

/** What a file must be to be looked into. */
export interface VerifyRules {
  readonly root: AbsolutePath;
  /** The file system of the root. */
  readonly device: bigint;
  readonly verdict: EntryVerdict;
  /** Whether the path below the root, by its components, is wanted at all. */
  readonly wanted: (components: readonly string[]) => boolean;
}

/**
 * A search program opens files by their names, and so may have been led anywhere by links that came and went. Each hit counts only where the file of that judged path, opened here by
 * a descriptor and looked at, holds the same bytes at the same place: then whoever may read the file could have read them.
 */
export function verifiedFiles(rules: VerifyRules): VerifiedFiles {
  const folders = new Map<AbsolutePath, boolean>([[rules.root, true]]);
  let current: { readonly key: string; readonly path: AbsolutePath; readonly fd: number | undefined } | undefined;

  function mayEnter(folder: AbsolutePath): boolean {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const answer = mayEnter(parentOf(folder)) && rules.verdict(folder) === "allow";
    if (folders.size >= maxKept) {
      folders.clear();
      folders.set(rules.root, true);
    }
    folders.set(folder, answer);
    return answer;
  }

  function open(key: string, written: Buffer): typeof current {
    const components = componentsOf(written);
    const path = components?.reduce<AbsolutePath>((folder, name) => pathIn(folder, name), rules.root) ?? rules.root;
    const allowed =
      components !== undefined &&
      bytesOfPath(path).length <= maxPathBytes &&
      rules.wanted(components) &&
      mayEnter(parentOf(path)) &&
      rules.verdict(path) === "allow";
    return { key, path, fd: allowed ? openRegular(path, rules.device) : undefined };
  }

  function close(): void {
    if (current?.fd !== undefined) closeSync(current.fd);
    current = undefined;
  }

  return {
    find({ path: written, offset, bytes }) {
      const key = written.toString("latin1");
      if (current?.key !== key) {
        close();
        current = open(key, written);
      }
      if (current?.fd === undefined || !holds(current.fd, offset, bytes)) return undefined;
      return current.path;
    },
    close,
  };
}

/** The path below the root by components; undefined for anything that would not stay there. */
function componentsOf(written: Buffer): string[] | undefined {
  const text = pathOfBytes(written);
  if (!text.startsWith("./")) return undefined;
  const components = text.slice(2).split("/");
  return components.some((name) => name === "" || name === "." || name === "..") ? undefined : components;
}

function openRegular(path: AbsolutePath, device: bigint): number | undefined {
  try {
    return withJudged(path, ({ stats, way }) =>
      stats.isFile() && stats.dev === device
        ? openSync(way, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
        : undefined,
    );
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function holds(fd: number, offset: number, bytes: Buffer): boolean {
  const found = Buffer.allocUnsafe(bytes.length);
  for (let done = 0; done < bytes.length;) {
    const read = readSync(fd, found, done, bytes.length - done, offset + done);
    if (read === 0) return false;
    done += read;
  }
  return found.equals(bytes);
}
