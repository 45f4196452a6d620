import { program, quiet, unseen, type Call, type Family, type Operands, type Program } from "./program.ts";
import { has } from "./parse-options.ts";
import { headOf, literal } from "./words.ts";

/** Operands that name files whose lines name further files where `--check` is given. */
const checksums: Operands = (parsed, { name, out }) => {
  for (const word of parsed.operands) out.read(word);
  if (has(parsed, "-c")) out.opaque(`${name} -c takes further names from the lists`, "dynamic");
};

const listing: Operands = (parsed, { out }) => {
  const operands = parsed.operands.length === 0 ? [literal(".")] : parsed.operands;
  for (const word of operands) {
    if (has(parsed, "-R") && !has(parsed, "-d")) out.readTree(word);
    else out.read(word);
  }
};

function treesOrHere(operands: Parameters<Operands>[0]["operands"], { out }: Call): void {
  for (const word of operands.length === 0 ? [literal(".")] : operands) out.readTree(word);
}

const lsOptions = `-1aAbBcCDfFgGhHiklLmnNopqQrsStuUvxXZ --all --almost-all --author --escape --ignore-backups -d,--directory --dired --no-group
  --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --inode --kibibytes --dereference
  --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --reverse -R,--recursive --size --context --zero
  --file-type --group-directories-first -I,--ignore=. -T,--tabsize=. -w,--width=. --block-size=. --color=?. --classify=?. --format=.
  --hide=. --hyperlink=?. --indicator-style=. --quoting-style=. --sort=. --time=. --time-style=. --full-time`;

const sums = `-a,--algorithm=. -b,--binary -c,--check -l,--length=. --tag --untagged --base64 --raw --debug -t,--text -z,--zero --ignore-missing
  -q,--quiet -s,--status --strict -w,--warn -0 -U,--UNIVERSAL`;

/** A pager shows files, and starts other programs on a key. */
const pagers: Program = {
  run({ args, out, name }) {
    for (const word of args) if (!/^[-+]/.test(headOf(word))) out.read(word);
    out.opaque(`${name}: a pager starts other programs on a key`);
  },
};

/** Programs that only read: files to standard output, digests, listings. */
export const readers: Family = [
  [
    "cat",
    program(
      "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
      "r*",
    ),
  ],
  ["tac", program("-b,--before -r,--regex -s,--separator=.", "r*")],
  ["rev", program("-0 --zero", "r*")],
  [
    "nl",
    program(
      `-b,--body-numbering=. -d,--section-delimiter=. -f,--footer-numbering=. -h,--header-numbering=. -i,--line-increment=. -l,--join-blank-lines=.
       -n,--number-format=. -p,--no-renumber -s,--number-separator=. -v,--starting-line-number=. -w,--number-width=.`,
      "r*",
    ),
  ],
  ["head", program("-# -c,--bytes=. -n,--lines=. -q,--quiet,--silent -v,--verbose -z,--zero-terminated", "r*")],
  [
    "tail",
    program(
      `-# -c,--bytes=. -f --follow=?. -F -n,--lines=. --max-unchanged-stats=. --pid=. -q,--quiet,--silent --retry -r
       -s,--sleep-interval=. -v,--verbose -z,--zero-terminated`,
      "r*",
    ),
  ],
  ["wc", program("-c,--bytes -m,--chars -l,--lines -L,--max-line-length -w,--words --files0-from=o --total=.", "r*")],
  ["md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 b3sum", program(sums, checksums)],
  ["stat", program("-L,--dereference -f,--file-system --cached=. -c,--format=. --printf=. -t,--terse", "r*")],
  [
    "file",
    program(
      `-bcdDEhikLnNprsS0v --brief --checking-printout --debug --extension --mime --mime-type --mime-encoding --apple -l,--list --keep-going
        --list --dereference --no-dereference --no-buffer --no-pad --preserve-date --raw --special-files --no-sandbox --print0 -C,--compile!
        -e,--exclude=. --exclude-quiet=. -F,--separator=. -f,--files-from=o -m,--magic-file=r -P,--parameter=. -z,--uncompress!
        -Z,--uncompress-noreport!`,
      "r*",
    ),
  ],
  [
    "du",
    program(
      `-0abcDHhkLlmPSsx --null --all --apparent-size --bytes --total --dereference-args --human-readable --inodes --dereference
        --count-links --no-dereference --separate-dirs --si --summarize --one-file-system -B,--block-size=. -d,--max-depth=. --files0-from=o
        -t,--threshold=. --time=?. --time-style=. -X,--exclude-from=r --exclude=.`,
      (parsed, call) => treesOrHere(parsed.operands, call),
    ),
  ],
  [
    "df",
    program(
      `-ahHiklPTv --all --human-readable --inodes --local --no-sync --sync --portability --print-type --si --total -B,--block-size=.
        -t,--type=. -x,--exclude-type=. --output=?.`,
      "r*",
    ),
  ],
  ["ls dir vdir", program(lsOptions, listing)],
  [
    "tree",
    program(
      `-adflxisDFqNQJXCAnSvtcUrhugp0 --inodes --device --noreport --nolinks --dirsfirst --filesfirst --prune --du --si --gitignore --info
        --matchdirs --ignore-case --metafirst --fromtabfile --hyperlink --opt-toggle -L=. -P=. -I=. -H=. -T=. -o=w -R! --charset=.
        --filelimit=. --timefmt=. --sort=. --gitfile=r --infofile=r --fromfile! --hintro=r --houtro=r --scheme=. --authority=. --compress=.`,
      (parsed, call) => treesOrHere(parsed.operands, call),
    ),
  ],
  [
    "readlink realpath",
    program(
      `-efmnqszLP --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose -v --zero --logical
        --physical --strip --no-symlinks --relative-to=. --relative-base=.`,
      "r*",
    ),
  ],
  ["pathchk basename dirname", quiet],
  [
    "od",
    program(
      `-A,--address-radix=. --endian=. -j,--skip-bytes=. -N,--read-bytes=. -S,--strings=?. -t,--format=. -v,--output-duplicates
        -w,--width=?. --traditional -abcdDefFhHiIlLoOsxX`,
      "r*",
    ),
  ],
  [
    "hexdump hd",
    program(
      `-bcCdovxX --one-byte-octal --one-byte-char --canonical --two-bytes-decimal --two-bytes-octal --two-bytes-hex --no-squeezing
        -e,--format=. -f,--format-file=r -L,--color=?. -n,--length=. -s,--skip=.`,
      "r*",
    ),
  ],
  [
    "strings",
    program(
      `-afow --all --print-file-name --include-all-whitespace -n,--bytes=. -t,--radix=. -T,--target=. -e,--encoding=.
        -s,--output-separator=. -U,--unicode=. -d,--data -#`,
      "r*",
    ),
  ],
  ["cmp", program("-b,--print-bytes -v -i,--ignore-initial=. -l,--verbose -n,--bytes=. -s,--quiet,--silent", "rr..")],
  ["comm", program("-123 --check-order --nocheck-order --output-delimiter=. --total -z,--zero-terminated", "rr")],
  [
    "join",
    program(
      "-i,--ignore-case -z,--zero-terminated --check-order --nocheck-order --header -a=. -e=. -j=. -o=. -t=. -v=. -1=. -2=.",
      "rr",
    ),
  ],
  ["paste", program("-d,--delimiters=. -s,--serial -z,--zero-terminated", "r*")],
  [
    "cut",
    program(
      "-b,--bytes=. -c,--characters=. -d,--delimiter=. -f,--fields=. -n -M -s,--only-delimited -z,--zero-terminated --complement --output-delimiter=. -w",
      "r*",
    ),
  ],
  ["fold", program("-b,--bytes -c,--characters -s,--spaces -w,--width=. -#", "r*")],
  [
    "fmt",
    program(
      "-c,--crown-margin -p,--prefix=. -s,--split-only -t,--tagged-paragraph -u,--uniform-spacing -w,--width=. -g,--goal=. -#",
      "r*",
    ),
  ],
  ["expand unexpand", program("-i,--initial -a,--all --first-only -t,--tabs=. -#", "r*")],
  [
    "pr",
    program(
      `-# -acdFfmrTtv -D,--date-format=. -e,--expand-tabs=?. -h,--header=. -i,--output-tabs=?. -J,--join-lines -l,--length=.
        -n,--number-lines=?. -N,--first-line-number=. -o,--indent=. -s,--separator=?. -S,--sep-string=?. -w,--width=. -W,--page-width=.
        --columns=. --pages=. --across --show-control-chars --double-space --form-feed --merge --no-file-warnings --omit-header
        --omit-pagination --show-nonprinting`,
      "r*",
    ),
  ],
  [
    "column",
    program(
      `-c,--output-width=. -C,--table-column=. -d,--table-noheadings -e,--table-header-repeat -E,--table-noextreme=. -H,--table-hide=.
        -i,--tree-id=. -J,--json -L,--keep-empty-lines -l,--table-columns-limit=. -m,--table-maxout -n,--table-name=. -N,--table-columns=.
        -O,--table-order=. -o,--output-separator=. -p,--tree-parent=. -R,--table-right=. -r,--tree=. -s,--separator=. -T,--table-truncate=.
        -t,--table -W,--table-wrap=. -x,--fillrows`,
      "r*",
    ),
  ],
  [
    "tsort look",
    program("-abdf -t=.", (parsed, { name, out }) =>
      (name === "look" ? parsed.operands.slice(1) : parsed.operands).forEach((word) => out.read(word)),
    ),
  ],
  ["tr", program("-c,--complement -C -d,--delete -s,--squeeze-repeats -t,--truncate-set1", "..")],
  [
    "base64 base32 basenc",
    program(
      "-d,--decode -D -i,--ignore-garbage -w,--wrap=. --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 -b=.",
      "r",
    ),
  ],
  ["zcat bzcat xzcat zstdcat lzcat", program("-fqSvLcd", "r*")],
  ["zdiff zcmp", program("-abBcdeEhHilnNpPrsStTuwy", "rr")],
  [
    "nm size objdump readelf",
    program(
      `-aABCdDefFghGHiIlLnoprsSTuVwWxXz -c -N -P -v --debug-syms --print-file-name --no-demangle --demangle=?. --dynamic --recurse-limit
        --no-recurse-limit --extern-only --ifunc-chars=. --just-symbols --line-numbers --portability --reverse-sort --plugin=x --print-armap
        --print-size --quiet --size-sort --special-syms --synthetic --target=. -U,--unicode=. --no-weak --with-symbol-versions
        --archive-headers --private-headers --private=. --all-headers --headers --file-headers --section-headers --program-headers
        --disassemble=?. --disassemble-all --source --source-comment=?. --full-contents --debugging --debugging-tags --stabs --dwarf=?.
        --process-links --ctf=?. --sframe=?. --syms --symbols --dynamic-syms --reloc --dynamic-reloc --info -b=. -m,--architecture=.
        -M,--disassembler-options=. -E -j,--section=. --endian=. --file-start-context --include=. --file-offsets --disassemble-zeroes
        --start-address=. --stop-address=. --no-addresses --prefix-addresses --insn-width=. --adjust-vma=. --show-all-symbols --inlines
        --prefix=. --prefix-strip=. --dwarf-depth=. --dwarf-start=. --dwarf-check --ctf-parent=. --visualize-jumps=?. --disassembler-color=.
        --all --wide --notes --relocs --histogram --version-info --arch-specific --unwind --segments --sections --defined-only
        --undefined-only --no-sort --numeric-sort --format=. -t,--radix=.`,
      "r*",
    ),
  ],
  ["less more most pg view", pagers],
  [
    "bat batcat",
    program(
      `-AdfnprSu --plain --number --show-all --diff --force-colorization --unbuffered -l,--language=. -H,--highlight-line=.
        -r,--line-range=. --file-name=. --diff-context=. --tabs=. --wrap=. --terminal-width=. --color=. --italic-text=. --decorations=.
        --paging=. --pager=x -m,--map-syntax=. --theme=. --style=. --list-themes --list-languages --config-file --no-config`,
      "r*",
    ),
  ],
  [
    "exiftool identify mediainfo",
    unseen("a media reader starts helpers that its configuration names", { takesPaths: true }),
  ],
];
