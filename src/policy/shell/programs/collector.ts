import {
  baseName,
  isInside,
  parentOf,
  parseAbsolutePath,
  resolvePath,
  type AbsolutePath,
} from "../../../model/absolute-path.ts";
import type { OpaqueCause } from "../../../model/effect.ts";
import type { Word } from "../simple-command.ts";
import type { Link, PathMention, ProgramWorld } from "./program-effects.ts";
import { climb } from "./climb.ts";
import { linkOn } from "./link-on.ts";
import { escapeGlob, isAbsolute, shown } from "./words.ts";

/** Where a path may be followed through more links than this, the rest is left to the real file system's answer. Linux stops at 40, too. */
const maxLinks = 40;

/** Where a text made more links than this, nobody looks which of them move: it is asked about. */
const mostMoved = 32;

/** Names that stand for an open descriptor or swallow everything: neither a read nor a write of a file. */
const leftOut = /^\/dev\/(null|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** What one program start does, gathered while its words are read. Words that are not known are skipped here: the caller reports them once. */
export interface Gathered {
  readonly reads: Map<string, PathMention>;
  readonly writes: Map<string, PathMention>;
  readonly deletes: Map<string, PathMention>;
  readonly reaches: Map<string, { readonly host: string; readonly port: number }>;
  readonly opaque: Map<string, { readonly why: string; readonly cause: OpaqueCause }>;
  readonly supposed: Map<string, PathMention>;
  readonly links: Link[];
}

/** Turns words into effects, from the folders in which the program may start. */
export class Collector {
  readonly #cwds: readonly (AbsolutePath | undefined)[];
  readonly #world: ProgramWorld;
  readonly gathered: Gathered;

  constructor(cwds: readonly (AbsolutePath | undefined)[], world: ProgramWorld, gathered: Gathered = empty()) {
    this.#cwds = cwds;
    this.#world = world;
    this.gathered = gathered;
  }

  /** The same gathering, with relative paths taken from `folder` (itself relative to the present one). */
  inside(folder: Word): Collector {
    const cwds = this.#resolve(folder, false).map((mention) => (mention.exact ? mention.path : undefined));
    return new Collector(cwds.length === 0 ? [undefined] : cwds, this.#world, this.gathered);
  }

  get home(): AbsolutePath {
    return this.#world.home;
  }

  /** The folders in which relative paths start; unknown ones are left out. */
  get cwds(): readonly AbsolutePath[] {
    return this.#cwds.filter((cwd) => cwd !== undefined);
  }

  read(word: Word): void {
    this.#add(this.gathered.reads, word, true);
  }
  /** A read that is none by the book: only rules that deny or ask hear of it. */
  suppose(word: Word): void {
    this.#add(this.gathered.supposed, word, true);
  }
  readTree(word: Word): void {
    this.#addTree(this.gathered.reads, word);
  }
  write(word: Word): void {
    this.#add(this.gathered.writes, word, true);
  }
  writeTree(word: Word): void {
    this.#addTree(this.gathered.writes, word);
  }
  /** A removal takes the link, not what it leads to. */
  remove(word: Word): void {
    this.#add(this.gathered.deletes, word, false);
  }
  removeTree(word: Word): void {
    this.#addTree(this.gathered.deletes, word);
  }

  /** Records that a symbolic link is made whose text is `target`. A relative text starts at the link's own folder. */
  link(path: Word, target: Word): void {
    if (target.kind !== "literal") return;
    for (const { path: at, exact } of this.#resolve(path, false)) {
      const to = exact ? resolvePath(resolvePath(at, "..") ?? at, target.value) : undefined;
      if (to !== undefined) this.gathered.links.push({ path: at, target: to });
    }
  }

  /** Records that what lies at `source` lies at `target` from now on: paths through its new name go where links among it lead. */
  relocate(source: Word, target: Word): void {
    const { linked } = this.#world;
    for (const { path: from, exact } of this.#resolve(source, false)) {
      const folder = exact ? from : parentOf(fixedOf(from));
      const inside = linked.size > mostMoved ? [] : [...linked].filter(([link]) => isInside(folder, link));
      const own = exact ? this.#ownLink(from) : undefined;
      if (own !== undefined && !linked.has(from)) inside.push([from, own]);
      if (linked.size <= mostMoved && inside.length === 0) continue;
      for (const { path: to, exact: toExact } of this.#resolve(target, false)) {
        // A relative link leads elsewhere from another folder, and which ones are relative is not kept.
        if (!exact || !toExact || linked.size > mostMoved || parentOf(from) !== parentOf(to))
          this.opaque(`where a link at ${from} leads from its new place is not known`, "dynamic");
        if (!exact || !toExact) continue;
        for (const [link, leads] of inside) {
          const path = parseAbsolutePath(`${to}${link.slice(from.length)}`);
          if (path !== undefined) this.gathered.links.push({ path, target: leads });
        }
      }
    }
  }

  /** Where a path leads that is a link itself. */
  #ownLink(path: AbsolutePath): AbsolutePath | undefined {
    const real = this.#world.real(path);
    const folder = this.#world.real(parentOf(path));
    return real === undefined || folder === undefined || real === resolvePath(folder, baseName(path))
      ? undefined
      : real;
  }

  reach(host: string, port: number): void {
    const name = host
      .toLowerCase()
      .replace(/^\[(.*)\]$/, "$1")
      .replace(/\.$/, "");
    this.gathered.reaches.set(`${name}:${port}`, { host: name === "" ? "*" : name, port });
  }

  opaque(why: string, cause: OpaqueCause = "program"): void {
    this.gathered.opaque.set(`${cause} ${why}`, { why, cause });
  }

  #add(to: Map<string, PathMention>, word: Word, follow: boolean): void {
    for (const mention of this.#resolve(word, follow)) {
      if (!leftOut.test(mention.path)) to.set(`${mention.path} ${mention.exact}`, mention);
    }
  }

  #addTree(to: Map<string, PathMention>, word: Word): void {
    for (const { path, exact } of this.#resolve(word, true)) {
      if (leftOut.test(path)) continue;
      const base = exact ? escapeGlob(path) : path;
      const tree = base.endsWith("/**") ? base : parseAbsolutePath(`${base}/**`);
      if (tree === undefined) this.opaque(`the path ${shown(word)} is too long`, "limit");
      else to.set(`${tree} false`, { path: tree as AbsolutePath, exact: false });
    }
  }

  #resolve(word: Word, follow: boolean): PathMention[] {
    if (word.kind === "dynamic" || shown(word) === "") return [];
    const found: PathMention[] = [];
    const bases = isAbsolute(word) ? this.#cwds.slice(0, 1) : this.#cwds;
    for (const cwd of bases) {
      if (cwd === undefined && !isAbsolute(word)) {
        this.opaque(`the folder in which ${shown(word)} lies is not known`, "dynamic");
        continue;
      }
      const glob = word.kind === "glob";
      const base = cwd === undefined ? "" : glob ? escapeGlob(cwd) : cwd;
      const climbed = climb(isAbsolute(word) ? shown(word) : `${base}/${shown(word)}`, glob, this.#world.real);
      if (climbed === undefined) {
        this.opaque(`where ${shown(word)} leads is not known`, "dynamic");
        continue;
      }
      const path = parseAbsolutePath(climbed);
      if (path === undefined) this.opaque("a path is too long or holds a NUL", "limit");
      else found.push({ path: this.#followed(path, follow), exact: !glob });
    }
    return found;
  }

  #followed(path: AbsolutePath, last: boolean): AbsolutePath {
    let at = path;
    for (let turn = 0; turn < maxLinks; turn += 1) {
      const next = this.#followOnce(at, last);
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }

  #followOnce(path: AbsolutePath, last: boolean): AbsolutePath | undefined {
    const found = linkOn(path, this.#world.linked, last);
    return found === undefined ? undefined : parseAbsolutePath(`${found.target}${path.slice(found.link.length)}`);
  }
}

/** A pattern up to its first wildcard. */
function fixedOf(path: AbsolutePath): AbsolutePath {
  return parseAbsolutePath(/^[^*?[\\]*/.exec(path)?.[0] ?? path) ?? path;
}

function empty(): Gathered {
  return {
    reads: new Map(),
    writes: new Map(),
    deletes: new Map(),
    reaches: new Map(),
    opaque: new Map(),
    supposed: new Map(),
    links: [],
  };
}
