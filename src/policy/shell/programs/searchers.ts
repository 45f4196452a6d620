import type { Word } from "../simple-command.ts";
import { has } from "./parse-options.ts";
import { program, type Family, type Operands } from "./program.ts";
import { literal, textOf } from "./words.ts";

/** Operands of grep(1): a pattern first, unless -e or -f gave one; a search below folders starts in the working folder. */
const grepOperands: Operands = (parsed, { name, out }) => {
  const files = has(parsed, "-e", "-f") ? parsed.operands : parsed.operands.slice(1);
  const deep = name === "rgrep" || has(parsed, "-r", "-R") || wantsRecursion(parsed);
  if (files.length === 0 && deep) out.readTree(literal("."));
  for (const word of files) {
    if (textOf(word) === "-") continue;
    if (deep) out.readTree(word);
    else out.read(word);
  }
};

function wantsRecursion(parsed: Parameters<Operands>[0]): boolean {
  return parsed.given.some(({ option, value }) => option.name === "-d" && textOf(value) === "recurse");
}

/** Operands of searchers that always go below folders: the pattern, then start folders. */
const deepOperands: Operands = (parsed, { out }) => {
  const noPattern = has(parsed, "-e", "-f", "--files", "--type-list", "-g-only");
  const files = noPattern ? parsed.operands : parsed.operands.slice(1);
  for (const word of files.length === 0 ? [literal(".")] : files) if (textOf(word) !== "-") out.readTree(word);
};

const grepOptions = `-# -EFGPwxivyzsqcHhonLlTUabuI -e,--regexp=. -f,--file=r -m,--max-count=. -A,--after-context=. -B,--before-context=. -C,--context=.
  -d,--directories=. -D,--devices=. -r,--recursive -R,--dereference-recursive -V --extended-regexp --fixed-strings --basic-regexp
  --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --byte-offset
  --line-number --line-buffered --with-filename --no-filename --label=. --only-matching --quiet --silent --binary-files=. --text --include=.
  --exclude=. --exclude-from=r --exclude-dir=. --files-without-match --files-with-matches --count --initial-tab --null -Z --binary
  --color=?. --colour=?. --group-separator=. --no-group-separator -S -O -p`;

const rgOptions = `-# -A,--after-context=. -B,--before-context=. -C,--context=. -e,--regexp=. -f,--file=r -g,--glob=. --iglob=. -t,--type=. -T,--type-not=.
  --type-add=. --type-clear=. -m,--max-count=. -d,--max-depth,--maxdepth=. --max-filesize=. -M,--max-columns=. -j,--threads=.
  -E,--encoding=. -r,--replace=. --sort=. --sortr=. --color=. --colors=. --context-separator=. --field-context-separator=.
  --field-match-separator=. --path-separator=. --engine=. --dfa-size-limit=. --regex-size-limit=. --ignore-file=r --pre=x --pre-glob=.
  --hostname-bin=x --hyperlink-format=. --generate=. --stop-on-nonmatch -z,--search-zip! -aiFsSvwxlnNHIcopqULuP.0 --text --ignore-case
  --fixed-strings --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --files-with-matches --files-without-match
  --line-number --no-line-number --with-filename --no-filename --count --count-matches --only-matching --pretty --quiet --multiline
  --multiline-dotall --follow --unrestricted --pcre2 --hidden --null --null-data --files --type-list --no-ignore --no-ignore-vcs
  --no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-messages --no-messages --no-config
  --heading --no-heading --json --vimgrep --column --no-column --byte-offset -b --trim --stats --debug --trace --crlf --binary
  --one-file-system --passthru --passthrough --block-buffered --line-buffered --mmap --no-mmap --auto-hybrid-regex --max-columns-preview
  --include-zero --no-pcre2-unicode --no-unicode --no-require-git --glob-case-insensitive --no-hidden --no-follow --pcre2-version`;

const agOptions = `-# -A,--after=. -B,--before=. -C,--context=?. -G,--file-search-regex=. -g=. --ignore=. --ignore-dir=. -m,--max-count=. --depth=.
  -p,--path-to-ignore=r --pager=x -acDfFhHiLlnQRrsSUuvVwz0o --ackmate --all-types --nobreak --break --nocolor --color --column --count
  --files-with-matches --files-without-matches --filename --nofilename --heading --noheading --hidden --ignore-case --invert-match --literal
  --smart-case --case-sensitive --numbers --nonumbers --only-matching --silent --stats --vimgrep --word-regexp --unrestricted --follow
  --nofollow --norecurse --recurse --skip-vcs-ignores --python --js --ts --html --css --cpp --go --rust --ruby --java`;

const fdOptions = `-HIsiFaluLpg01qIV -t,--type=. -e,--extension=. -E,--exclude=. -d,--max-depth,--maxdepth=. --min-depth=. --exact-depth=. -S,--size=.
  --changed-within=. --changed-before=. -o,--owner=. -c,--color=. -j,--threads=. --max-results=. --base-directory=. --search-path=.
  --ignore-file=r --path-separator=. --format=. --batch-size=. --and=. -x,--exec! -X,--exec-batch! --hidden --no-ignore --no-ignore-vcs
  --no-ignore-parent --no-global-ignore-file --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --literal
  --absolute-path --relative-path --list-details! --follow --full-path --print0 --prune --quiet --show-errors --strip-cwd-prefix=?.
  --one-file-system --hyperlink=?. --no-require-git`;

const fdOperands: Operands = (parsed, { out }) => {
  const base = parsed.given.find(({ option }) => option.name === "--base-directory")?.value;
  const from = base === undefined ? out : out.inside(base);
  const named = parsed.given.flatMap(({ option, value }) =>
    option.name === "--search-path" && value !== undefined ? [value] : [],
  );
  const starts: Word[] = [...(named.length > 0 ? parsed.operands : parsed.operands.slice(1)), ...named];
  for (const word of starts.length === 0 ? [literal(".")] : starts) from.readTree(word);
};

const diffOptions = `-# -u -c -U=. --unified=?. -C=. --context=?. -q,--brief -s,--report-identical-files -e,--ed -n,--rcs -y,--side-by-side -W,--width=.
  --left-column --suppress-common-lines -p,--show-c-function -F,--show-function-line=. --label,-L=. -t,--expand-tabs -T,--initial-tab
  --tabsize=. --suppress-blank-empty -l,--paginate! -r,--recursive --no-dereference -N,--new-file --unidirectional-new-file
  --ignore-file-name-case --no-ignore-file-name-case -x,--exclude=. -X,--exclude-from=r -S,--starting-file=. --from-file=r --to-file=r
  -i,--ignore-case -E,--ignore-tab-expansion -Z,--ignore-trailing-space -b,--ignore-space-change -w,--ignore-all-space
  -B,--ignore-blank-lines -I,--ignore-matching-lines=. -a,--text --strip-trailing-cr -D,--ifdef=. --GTYPE-group-format=. --line-format=.
  --LTYPE-line-format=. --old-line-format=. --new-line-format=. --unchanged-line-format=. --old-group-format=. --new-group-format=.
  --unchanged-group-format=. --changed-group-format=. -v -d,--minimal --horizon-lines=. --speed-large-files --color=?. --palette=. --normal
  -P`;

/** grep, its relatives, and diff. */
export const searchers: Family = [
  ["grep egrep fgrep rgrep zgrep zegrep zfgrep bzgrep xzgrep", program(grepOptions, grepOperands)],
  ["rg", program(rgOptions, deepOperands, "exact")],
  ["ag", program(agOptions, deepOperands, "exact")],
  ["fd fdfind", program(fdOptions, fdOperands, "exact")],
  [
    "diff colordiff",
    program(diffOptions, (parsed, { out }) => {
      for (const word of parsed.operands) {
        if (textOf(word) === "-") continue;
        if (has(parsed, "-r")) out.readTree(word);
        else out.read(word);
      }
    }),
  ],
  [
    "diff3 sdiff",
    program(
      `-aAbBdeEiImsTwxX3 --diff-program=x --strip-trailing-cr --merge --show-all --ed --show-overlap --easy-only --overlap-only
        --initial-tab -v -Z -H --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines
        --ignore-matching-lines=. --suppress-common-lines --expand-tabs --tabsize=. --minimal --speed-large-files --text --label,-L=.
        -o,--output=w -l,--left-column -W,--width=. -t --ignore-case`,
      "rrr",
    ),
  ],
];
