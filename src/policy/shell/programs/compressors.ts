import type { Word } from "../simple-command.ts";
import { has, valueOf } from "./parse-options.ts";
import { program, type Family, type Program } from "./program.ts";
import { literal, textOf, withSuffix } from "./words.ts";

/** How a compressor names its result and what becomes of its source. */
interface Habit {
  /** What is appended when packing. */
  readonly suffix: string;
  /** True where the source stays unless --rm is given (zstd, lz4). */
  readonly keeps?: boolean;
  /** True where the name alone means unpacking (gunzip). */
  readonly unpacks?: boolean;
}

/** Endings that unpacking takes away, and what it puts in their place. */
const endings: readonly (readonly [string, string])[] = [
  [".tgz", ".tar"],
  [".taz", ".tar"],
  [".tbz2", ".tar"],
  [".tbz", ".tar"],
  [".txz", ".tar"],
  [".tlz", ".tar"],
  [".tzst", ".tar"],
  [".gz", ""],
  [".bz2", ""],
  [".bz", ""],
  [".xz", ""],
  [".lzma", ""],
  [".zst", ""],
  [".lz4", ""],
  [".lz", ""],
  [".br", ""],
  [".Z", ""],
  [".z", ""],
];

const options = `-0123456789acfhklLMnNqrRtvVz --stdout --to-stdout --decompress,--uncompress,-d --force --list --no-name --name --quiet --recursive --test
  --verbose --fast=?. --best --rsyncable --synchronous --keep -S,--suffix=. --compress --small -s --repetitive-fast --repetitive-best
  -e,--extreme -T,--threads=. -F,--format=. -C,--check=. --block-size=. --memlimit=. --memlimit-compress=. --memlimit-decompress=.
  --single-stream --no-sparse --robot --no-warn --files=?x --files0=?x -o,--output=w --output-dir-flat=W --output-dir-mirror=W --rm -j
  -w,--lgwin=. --ultra --long=?. --adaptive --stream-size=. --exclude-compressed --no-progress --progress -D=r --no-check --license
  --trace=w --filelist=o --patch-from=r --single-thread --auto-threads=. --size-hint=. --target-compressed-block-size=. --maxdict=.
  --dictID=. --priority=. --no-dictID --content-size --sparse -b -m -Q --quality=.`;

function compressor(habit: Habit): Program {
  return program(options, (parsed, { name, out }) => {
    const unpacks = habit.unpacks === true || has(parsed, "--decompress");
    const toStdout = has(parsed, "-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list");
    const keeps = toStdout || has(parsed, "-k", "--keep") || (habit.keeps === true && !has(parsed, "--rm", "-j"));
    const suffix = textOf(valueOf(parsed, "-S")) ?? habit.suffix;
    // lz4 takes its output as a second operand.
    const [source, target] = parsed.operands;
    const pair = name.includes("lz4") && parsed.operands.length === 2 && !has(parsed, "-m");
    if (pair && target !== undefined && textOf(target) !== "-") out.write(target);
    for (const word of pair && source !== undefined ? [source] : parsed.operands) {
      if (textOf(word) === "-") continue;
      if (has(parsed, "-r", "--recursive")) {
        out.readTree(word);
        if (!toStdout) out.writeTree(word);
        continue;
      }
      if (keeps) out.read(word);
      else out.remove(word);
      if (!toStdout && !pair && !has(parsed, "-o"))
        out.write(unpacks ? unpacked(word, suffix) : withSuffix(word, suffix));
    }
  });
}

function unpacked(word: Word, suffix: string): Word {
  const text = word.kind === "dynamic" ? "" : word.kind === "glob" ? word.pattern : word.value;
  const hit = [[suffix, ""] as const, ...endings].find(
    ([ending]) => text.endsWith(ending) && text.length > ending.length,
  );
  // gunzip also finds `a.gz` where it is given `a`.
  if (hit === undefined) return word;
  const bare = `${text.slice(0, -hit[0].length)}${hit[1]}`;
  return word.kind === "glob" ? { kind: "glob", pattern: bare } : literal(bare);
}

/** gzip and its relatives: the source is replaced by the result unless an option keeps it. */
export const compressors: Family = [
  ["gzip pigz", compressor({ suffix: ".gz" })],
  ["gunzip unpigz", compressor({ suffix: ".gz", unpacks: true })],
  ["bzip2 pbzip2 lbzip2", compressor({ suffix: ".bz2" })],
  ["bunzip2", compressor({ suffix: ".bz2", unpacks: true })],
  ["xz pixz", compressor({ suffix: ".xz" })],
  ["unxz", compressor({ suffix: ".xz", unpacks: true })],
  ["lzma", compressor({ suffix: ".lzma" })],
  ["unlzma", compressor({ suffix: ".lzma", unpacks: true })],
  ["lzip plzip", compressor({ suffix: ".lz" })],
  ["zstd zstdmt pzstd", compressor({ suffix: ".zst", keeps: true })],
  ["unzstd", compressor({ suffix: ".zst", keeps: true, unpacks: true })],
  ["lz4", compressor({ suffix: ".lz4", keeps: true })],
  ["unlz4", compressor({ suffix: ".lz4", keeps: true, unpacks: true })],
  ["brotli", compressor({ suffix: ".br", keeps: true })],
  ["compress", compressor({ suffix: ".Z" })],
  ["uncompress", compressor({ suffix: ".Z", unpacks: true })],
];
