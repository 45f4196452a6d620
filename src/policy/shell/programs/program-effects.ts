import type { AbsolutePath } from "../../../model/absolute-path.ts";
import type { OpaqueCause } from "../../../model/effect.ts";
import type { SimpleCommand } from "../simple-command.ts";
import { Collector } from "./collector.ts";
import { traceFile } from "./environment.ts";
import { findProgram } from "./program-table.ts";
import { isPipe, literal, shown, textOf } from "./words.ts";

/** What must be known of the world to read a program's words. */
export interface ProgramWorld {
  readonly home: AbsolutePath;
  readonly homeOf: (user: string) => AbsolutePath | undefined;
  /** Symbolic links that earlier parts of the same text made: link to target. */
  readonly linked: ReadonlyMap<AbsolutePath, AbsolutePath>;
  /** Where a path leads, those links and the machine's followed; undefined where nobody can tell. */
  readonly real: (path: AbsolutePath) => AbsolutePath | undefined;
}

/**
 * A path that a program touches. `exact: false`: `path` is a pattern. It ends in `/**` for a folder and everything below, or holds glob
 * characters; the characters `* ? [ ] \` that stand for themselves have a backslash before them.
 */
export interface PathMention {
  readonly path: AbsolutePath;
  readonly exact: boolean;
}

/** A symbolic link that a program makes. */
export interface Link {
  readonly path: AbsolutePath;
  readonly target: AbsolutePath;
}

/** What one program start does, as far as its words tell. */
export interface ProgramEffects {
  readonly reads: readonly PathMention[];
  readonly writes: readonly PathMention[];
  readonly deletes: readonly PathMention[];
  /** Host `*`: a host that is not named in the words. */
  readonly reaches: readonly { readonly host: string; readonly port: number }[];
  /** More may happen than the lists say. */
  readonly opaque: readonly { readonly why: string; readonly cause: OpaqueCause }[];
  /** What it may read for all that its words say, though that is no effect of it: a file whose being there it tests. */
  readonly supposed: readonly PathMention[];
  /** Links that later parts of the same text may go through. */
  readonly links: readonly Link[];
  /** False where the program is not in the table: any word may then be a path that is read or written. */
  readonly known: boolean;
}

const systemFolders =
  /^(|\/bin\/|\/sbin\/|\/usr\/bin\/|\/usr\/sbin\/|\/usr\/local\/bin\/|\/usr\/local\/sbin\/|\/opt\/homebrew\/bin\/)$/;

/**
 * Says what a simple command reads, writes, removes and reaches, from its own words and its assignments. Redirects are not looked at: they
 * are the shell's doing. For a wrapper (`flock FILE make`) the answer covers the wrapper's own files, not those of the command inside.
 */
export function programEffects(command: SimpleCommand, world: ProgramWorld): ProgramEffects {
  const out = new Collector(command.cwds, world);
  for (const { name, value } of command.assignments) {
    const file = traceFile(name, value);
    if (file !== undefined) out.write(file);
  }
  return { ...runProgram(command, out), ...listed(out) };
}

function runProgram(command: SimpleCommand, out: Collector): { known: boolean } {
  const [first, ...args] = command.argv.map((word) => (isPipe(word) ? literal("/dev/fd/63") : word));
  if (first === undefined) return { known: true };
  const path = textOf(first);
  if (path === undefined) return { known: false };
  const cut = path.lastIndexOf("/") + 1;
  const name = path.slice(cut);
  const found = findProgram(name);
  if (found === undefined) return { known: false };
  if (found.textOnly !== true) {
    for (const word of args)
      if (word.kind === "dynamic") out.opaque(`${shown(word)} is not known before it runs`, "dynamic");
  }
  found.run({ name, args, out, command });
  return { known: systemFolders.test(path.slice(0, cut)) };
}

function listed(out: Collector): Omit<ProgramEffects, "known"> {
  const { reads, writes, deletes, reaches, opaque, supposed, links } = out.gathered;
  return {
    reads: [...reads.values()],
    writes: [...writes.values()],
    deletes: [...deletes.values()],
    reaches: [...reaches.values()],
    opaque: [...opaque.values()],
    supposed: [...supposed.values()],
    links,
  };
}
