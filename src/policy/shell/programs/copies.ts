import type { Word } from "../simple-command.ts";
import type { Collector } from "./collector.ts";
import { makeFolderAbove, makeWithParents } from "./folders.ts";
import { has, valueOf, type ParsedOptions } from "./parse-options.ts";
import { program, type Family, type Operands } from "./program.ts";
import { baseOf, escapeGlob, inFolder, isAbsolute, literal, namesFolder, textOf, withSuffix } from "./words.ts";

/** Sources and where each of them may land. */
interface Placed {
  readonly source: Word;
  readonly targets: readonly Word[];
}

const common = `-b --backup=?. -f,--force -i,--interactive -n,--no-clobber -S,--suffix=. -t,--target-directory=. -T,--no-target-directory -u --update=?.
  -v,--verbose -Z --context=?. --debug --strip-trailing-slashes`;

/** The last operand may be a folder or the new name itself: where that cannot be seen, both places are given. */
function place(parsed: ParsedOptions, deep: boolean): readonly Placed[] {
  const folder = valueOf(parsed, "-t");
  if (folder !== undefined) return parsed.operands.map((source) => ({ source, targets: [below(folder, source)] }));
  const sources = parsed.operands.slice(0, -1);
  const last = parsed.operands.at(-1);
  if (last === undefined) return [];
  if (sources.length === 0) return [{ source: last, targets: [] }];
  if (has(parsed, "-T")) return sources.map((source) => ({ source, targets: [last] }));
  // A copied folder becomes the missing folder `last/` itself: a slash behind the name does not tell. `.` and `..` always exist.
  const exists = namesFolder(last) && !(deep && /[^./]\/+$/.test(textOf(last) ?? ""));
  if (sources.length > 1 || exists) return sources.map((source) => ({ source, targets: [below(last, source)] }));
  return sources.map((source) => ({ source, targets: deep ? [last] : [last, below(last, source)] }));
}

/** A source that ends in `..` lands in the folder itself (cp(1)). */
function below(folder: Word, source: Word): Word {
  const base = baseOf(source);
  return base === undefined || textOf(base) === ".." || textOf(base) === "" ? folder : inFolder(folder, base);
}

/** Writes a target, and the copy that is kept of what stood there before. */
function writeTarget(target: Word, parsed: ParsedOptions, deep: boolean, out: Collector): void {
  if (deep) out.writeTree(target);
  else out.write(target);
  if (!has(parsed, "-b", "--backup", "-S")) return;
  const control = textOf(valueOf(parsed, "--backup")) ?? "existing";
  const suffix = textOf(valueOf(parsed, "-S")) ?? "~";
  if (/^(none|off)$/.test(control)) return;
  if (!/^(numbered|t)$/.test(control)) out.write(withSuffix(target, suffix));
  else if (target.kind === "literal") out.write({ kind: "glob", pattern: `${escapeGlob(target.value)}.~*~` });
}

const copy: Operands = (parsed, { out }) => {
  const deep = has(parsed, "-R", "-a");
  for (const { source, targets } of place(parsed, deep)) {
    if (deep) out.readTree(source);
    else out.read(source);
    const kept = has(parsed, "--parents")
      ? [inFolder(valueOf(parsed, "-t") ?? parsed.operands.at(-1) ?? source, source)]
      : targets;
    for (const target of kept) {
      if (has(parsed, "--parents")) makeFolderAbove(target, out);
      writeTarget(target, parsed, deep, out);
      if (has(parsed, "-s")) out.link(target, source);
      if (deep || has(parsed, "-P", "-d")) out.relocate(source, target);
    }
  }
};

const move: Operands = (parsed, { out }) => {
  for (const { source, targets } of place(parsed, false)) {
    out.remove(source);
    // Under its new name another rule may speak: whoever moves a file could read it there.
    out.suppose(source);
    for (const target of targets) {
      writeTarget(target, parsed, false, out);
      out.relocate(source, target);
    }
    if (has(parsed, "--exchange")) out.write(source);
  }
};

const install: Operands = (parsed, { out }) => {
  if (has(parsed, "-d")) {
    for (const word of parsed.operands) makeWithParents(word, out);
    return;
  }
  const folder = valueOf(parsed, "-t");
  if (has(parsed, "-D") && folder !== undefined) makeWithParents(folder, out);
  for (const { source, targets } of place(parsed, false)) {
    out.read(source);
    // -D makes the folders above the target, so a single target is the file itself.
    const chosen = has(parsed, "-D") && folder === undefined ? targets.slice(0, 1) : targets;
    for (const target of chosen) {
      if (has(parsed, "-D")) makeFolderAbove(target, out);
      writeTarget(target, parsed, false, out);
    }
  }
};

const link: Operands = (parsed, { out }) => {
  const symbolic = has(parsed, "-s");
  for (const { source, targets } of place(parsed, false)) {
    if (!symbolic) out.read(source);
    const alone = targets.length === 0 ? [below(literal("."), source)] : targets;
    for (const target of has(parsed, "-n") ? alone.slice(0, 1) : alone) {
      writeTarget(target, parsed, false, out);
      if (!symbolic) out.relocate(source, target);
      else
        out.link(
          target,
          has(parsed, "-r") && !isAbsolute(source) ? inFolder(literal(out.cwds[0] ?? "."), source) : source,
        );
    }
  }
};

/** cp, mv, install and ln (GNU coreutils manual, "Target directory" and "Backup options"). */
export const copies: Family = [
  [
    "cp gcp",
    program(
      `${common} -a,--archive --attributes-only --copy-contents -d -H -l,--link -L,--dereference -P,--no-dereference -p --preserve=?.
        --no-preserve=. --parents -R,-r,--recursive --reflink=?. --remove-destination --sparse=. -s,--symbolic-link -x,--one-file-system -c
        -X -N -g --keep-directory-symlink`,
      copy,
    ),
  ],
  ["mv gmv", program(`${common} --exchange --no-copy -h`, move)],
  [
    "install ginstall",
    program(
      `-b --backup=?. -c -C,--compare -d,--directory -D -g,--group=. -m,--mode=. -o,--owner=. -p,--preserve-timestamps -s,--strip --strip-program=x
       -S,--suffix=. -t,--target-directory=. -T,--no-target-directory -v,--verbose -Z --context=?. --preserve-context --debug`,
      install,
    ),
  ],
  [
    "ln gln",
    program(
      `-b --backup=?. -d,-F,--directory -f,--force -i,--interactive -L,--logical -n,-h,--no-dereference -P,--physical -r,--relative -s,--symbolic
       -S,--suffix=. -t,--target-directory=. -T,--no-target-directory -v,--verbose`,
      link,
    ),
  ],
];
