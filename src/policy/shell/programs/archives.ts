import type { Word } from "../simple-command.ts";
import { has, isOption, valueOf, type ParsedOptions } from "./parse-options.ts";
import { program, unseen, type Call, type Family, type Operands } from "./program.ts";
import { dropHead, headOf, literal, textOf, verbOf, withSuffix } from "./words.ts";

/** Operands without the patterns that follow -x or -i. */
function withoutPatterns(parsed: ParsedOptions): readonly Word[] {
  let skipping = false;
  const kept: Word[] = [];
  for (const entry of parsed.sequence) {
    if (isOption(entry)) skipping = /^-[xi]$/.test(entry.option.name);
    else if (!skipping) kept.push(entry);
  }
  return kept;
}

const zip: Operands = (parsed, { out }) => {
  const [archive, ...members] = withoutPatterns(parsed);
  if (archive === undefined) return;
  const text = textOf(archive);
  const named =
    text !== undefined && text !== "-" && !/\.[^/]*$/.test(text.slice(text.lastIndexOf("/") + 1))
      ? withSuffix(archive, ".zip")
      : archive;
  if (text !== "-" && !has(parsed, "-O")) out.write(named);
  else if (text !== "-") out.read(named);
  if (has(parsed, "-@")) out.opaque("zip -@ takes its members from standard input", "dynamic");
  if (has(parsed, "-d")) return;
  for (const word of members) {
    if (textOf(word) === "-") continue;
    if (has(parsed, "-r", "-R")) out.readTree(word);
    else out.read(word);
    if (has(parsed, "-m") && has(parsed, "-r")) out.removeTree(word);
    else if (has(parsed, "-m")) out.remove(word);
  }
};

const unzip: Operands = (parsed, { out }) => {
  const archive = parsed.operands[0];
  if (archive !== undefined) out.read(archive);
  if (has(parsed, "-l", "-t", "-v", "-Z", "-p", "-c", "-z")) return;
  out.writeTree(valueOf(parsed, "-d") ?? literal("."));
  if (has(parsed, "-:")) out.opaque("unzip -: lets members climb out of the folder", "dynamic");
};

/** 7z(1): a verb, the archive, members; `-o` has its folder glued to it. */
function sevenZip({ args, out, name }: Call): void {
  const operands: Word[] = [];
  let folder: Word = literal(".");
  let moves = false;
  for (const word of args) {
    const head = headOf(word);
    if (/^-o./.test(head)) folder = dropHead(word, 2);
    else if (/^-(sdel)/.test(head)) moves = true;
    else if (/^-(i|x|ai|an|ax)/.test(head) && head.includes("@"))
      out.opaque(`${name} takes names from a list`, "dynamic");
    else if (head.startsWith("-w") && head.length > 2) out.writeTree(dropHead(word, 2));
    else if (head.startsWith("@")) {
      out.read(dropHead(word, 1));
      out.opaque(`${name} takes names from a list`, "dynamic");
    } else if (!head.startsWith("-")) operands.push(word);
  }
  const [verb, archive, ...members] = operands;
  if (archive === undefined) return;
  if (verbOf(verb) === "?") out.opaque(`${name}: what it is to do is not known`);
  if (/^[aud]$|^rn$/.test(textOf(verb) ?? "")) {
    out.write(archive);
    if (textOf(verb) === "d" || textOf(verb) === "rn") return;
    for (const word of members) {
      out.readTree(word);
      if (moves) out.removeTree(word);
    }
    return;
  }
  out.read(archive);
  if (!/^[lth]$/.test(textOf(verb) ?? "")) out.writeTree(folder);
}

/** ar(1): letters with or without a dash, the archive, members. */
function ar({ args, out }: Call): void {
  const rest = args.filter((word) => !headOf(word).startsWith("--"));
  const verb = verbOf(rest[0]).replace(/^-/, "");
  if (verb === "?") out.opaque("ar: what it is to do is not known");
  const skip = /[abi]/.test(verb) && /[rm]/.test(verb) ? 2 : 1;
  const [archive, ...members] = rest.slice(skip);
  if (archive === undefined) return;
  if (/[rqdms]/.test(verb) && !/[xtp]/.test(verb)) {
    out.write(archive);
    if (/[rq]/.test(verb)) for (const word of members) out.read(word);
  } else {
    out.read(archive);
    if (verb.includes("x")) out.writeTree(literal("."));
  }
}

const cpio: Operands = (parsed, { out }) => {
  const folder = valueOf(parsed, "-D");
  const from = folder === undefined ? out : out.inside(folder);
  const file = valueOf(parsed, "-F", "-O", "-I");
  if (has(parsed, "-o")) {
    if (file !== undefined) out.write(file);
    out.opaque("cpio -o takes its members from standard input", "dynamic");
  } else if (has(parsed, "-p")) {
    for (const word of parsed.operands) from.writeTree(word);
    out.opaque("cpio -p takes its members from standard input", "dynamic");
  } else {
    if (file !== undefined) out.read(file);
    if (has(parsed, "-t", "--to-stdout")) return;
    from.writeTree(literal("."));
    if (!has(parsed, "--no-absolute-filenames")) out.opaque("cpio -i obeys absolute names in the archive", "dynamic");
  }
};

const unrar: Operands = (parsed, { out }) => {
  const [verb, archive, ...rest] = parsed.operands;
  if (archive === undefined) return;
  const extracts = /^[xe?]$/.test(verbOf(verb));
  if (/^[amdufr?]/.test(verbOf(verb))) {
    out.write(archive);
    for (const word of rest) out.readTree(word);
  } else {
    out.read(archive);
    if (extracts) out.writeTree(rest.findLast((word) => textOf(word)?.endsWith("/") === true) ?? literal("."));
  }
};

const zipOptions = `-0123456789ABDEFJLMNSTVWXcdefghjklmopqruvwyz@$ -b=W -t=. -tt,--from-date=. -n,--suffixes=. -P,--password=. -O,--output-file,--out=w
  -TT,--unzip-command=x -x,--exclude -i,--include -s=. -sp -Z=. --recurse-paths -R,--recurse-patterns --junk-paths --move --update --freshen
  --delete --grow --quiet --verbose --test --encrypt --symlinks --no-dir-entries --no-extra --latest-time --filesync --copy-entries
  --difference-archive --fix --fixfix --adjust-sfx --show-files --log-file-path,--logfile-path=w --temp-path=W --compression-method=.
  --split-size=.`;

/** Archivers besides tar. */
export const archives: Family = [
  ["zip", program(zipOptions, zip, "exact")],
  ["unzip", program("-aBCEFfIjKLlMnNopqsTtUuVvWXzZc:^ -d=. -P=. -x -O=.", unzip)],
  ["zipinfo funzip unzipsfx", program("-12smlvhtTzMCZ", "r*")],
  ["7z 7za 7zr 7zz p7zip", { run: sevenZip }],
  ["ar gcc-ar llvm-ar", { run: ar }],
  ["ranlib", program("-tDU", "w*")],
  ["unrar rar unar", program("-abcdefghijklmnopqrstuvwxyz+ --no", unrar)],
  [
    "cpio",
    program(
      `-o,--create -i,--extract -p,--pass-through -t,--list -0,--null -a,--reset-access-time -A,--append -b,--swap -B -c -C,--io-size=.
        -d,--make-directories -D,--directory=. -E,--pattern-file=r -f,--nonmatching -F,--file=. -H,--format=. -I=. -k -l,--link
        -L,--dereference -m,--preserve-modification-time -M,--message=. -n,--numeric-uid-gid -O=. -r,--rename -R,--owner=. -s,--swap-bytes
        -S,--swap-halfwords -u,--unconditional -v,--verbose -V,--dot --quiet --absolute-filenames --no-absolute-filenames
        --no-preserve-owner --only-verify-crc --rename-batch-file=r --rsh-command=x --sparse --to-stdout --force-local --block-size=.
        --device-independent`,
      cpio,
    ),
  ],
  ["pax", unseen("its operands depend on its mode")],
];
