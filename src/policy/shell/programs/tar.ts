import type { Word } from "../simple-command.ts";
import type { Collector } from "./collector.ts";
import { optionTable } from "./option-table.ts";
import { has, isOption, parseOptions, valueOf, type ParsedOptions } from "./parse-options.ts";
import { applyOptions, type Call, type Family } from "./program.ts";
import { literal, spelling, textOf } from "./words.ts";

const table =
  optionTable(`-A,--catenate,--concatenate -c,--create -d,--diff,--compare --delete -r,--append -t,--list -u,--update -x,--extract,--get --test-label
    -f,--file=. -C,--directory=. -T,--files-from=o -X,--exclude-from=r --exclude=. --exclude-ignore=. --exclude-ignore-recursive=.
    --exclude-tag=. --exclude-tag-all=. --exclude-tag-under=. --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-backups
    --exclude-vcs --exclude-vcs-ignores --anchored --no-anchored --ignore-case --no-ignore-case --wildcards --no-wildcards
    --wildcards-match-slash --no-wildcards-match-slash -I,--use-compress-program=x --to-command=x --checkpoint=?. --checkpoint-action=x
    -F,--info-script,--new-volume-script=x --rsh-command=x --rmt-command=x -P,--absolute-names -g,--listed-incremental=w -G,--incremental
    --add-file=. -b,--blocking-factor=. -H,--format=. -V,--label=. -K,--starting-file=. -L,--tape-length=. -M,--multi-volume
    -N,--newer,--after-date=. --newer-mtime=. --mtime=. --clamp-mtime --owner=. --group=. --owner-map=r --group-map=r --mode=.
    --transform,--xform=. --strip-components=. --suffix=. --backup=?. --sort=. --level=. --quoting-style=. --quote-chars=.
    --no-quote-chars=. --record-size=. --volno-file=w --index-file=w --pax-option=. --sparse-version=. --hole-detection=. --warning=.
    --set-mtime-command=x --set-mtime-format=. --acls --no-acls --selinux --no-selinux --xattrs --no-xattrs --xattrs-include=.
    --xattrs-exclude=. --atime-preserve=?. --delay-directory-restore --no-delay-directory-restore --numeric-owner
    -p,--preserve-permissions,--same-permissions --no-same-permissions --same-owner --no-same-owner -s,--preserve-order,--same-order
    --preserve -O,--to-stdout -h,--dereference --hard-dereference --one-file-system --recursion --no-recursion -n,--seek --no-seek
    --check-device --no-check-device --occurrence=?. -U,--unlink-first --recursive-unlink -k,--keep-old-files --skip-old-files
    --keep-newer-files --overwrite --overwrite-dir --no-overwrite-dir --keep-directory-symlink --one-top-level=?. --remove-files -W,--verify
    -S,--sparse -a,--auto-compress --no-auto-compress -z,--gzip,--gunzip,--ungzip -Z,--compress,--uncompress -j,--bzip2 -J,--xz --lzip
    --lzma --lzop --zstd -v,--verbose -w,--interactive,--confirmation -R,--block-number -B,--read-full-records -i,--ignore-zeros
    --ignore-command-error --no-ignore-command-error --ignore-failed-read --force-local --null --no-null --verbatim-files-from
    --no-verbatim-files-from --unquote --no-unquote --restrict --show-defaults --show-omitted-dirs --show-snapshot-field-ranges
    --show-transformed-names --totals=?. --utc --full-time --usage --posix --show-stored-names -l,--check-links -m,--touch
    -o,--old-archive,--portability`);

/** The old style has no dash: `tar xfC a.tar dir`; each letter that takes a value takes the next word. */
function modern(args: readonly Word[]): readonly Word[] {
  const letters = textOf(args[0]);
  if (letters === undefined || !/^[A-Za-z]+$/.test(letters)) return args;
  const found: Word[] = [];
  let index = 1;
  for (const letter of letters) {
    found.push(literal(`-${letter}`));
    const value = table.short.get(letter)?.takes === "value" ? args[index++] : undefined;
    if (value !== undefined) found.push(value);
  }
  return [...found, ...args.slice(index)];
}

function tar(call: Call): void {
  const parsed = parseOptions(modern(call.args), table);
  applyOptions(parsed, call);
  const { out } = call;
  const archives = parsed.given.flatMap(({ option, value }) =>
    option.name === "-f" && value !== undefined ? [value] : [],
  );
  if (!has(parsed, "-c", "-r", "-u", "-A", "--delete", "-x", "-t", "-d", "--test-label", "--help", "--version"))
    out.opaque("tar: what it is to do is not known");
  const extracts = has(parsed, "-x");
  const changes = has(parsed, "-c", "-r", "-u", "-A", "--delete");
  for (const word of archives) touchArchive(word, parsed, changes, out);
  if (extracts) extract(parsed, out);
  else if (!has(parsed, "-t", "--delete", "--test-label")) readMembers(parsed, out);
}

function touchArchive(word: Word, parsed: ParsedOptions, changes: boolean, out: Collector): void {
  const text = spelling(word);
  if (text === "-") return;
  const host = has(parsed, "--force-local") ? null : /^(?:[^@/:]*@)?([^/:]+):/.exec(text ?? "");
  if (host?.[1] !== undefined) out.reach(host[1], 22);
  else if (changes) out.write(word);
  else out.read(word);
}

function extract(parsed: ParsedOptions, out: Collector): void {
  if (has(parsed, "-P", "--transform"))
    out.opaque("tar extracts to names that the archive chooses, not only below the folder", "dynamic");
  if (has(parsed, "-O")) return;
  const folder = parsed.given.reduce(
    (at, { option, value }) => (option.name === "-C" && value !== undefined ? at.inside(value) : at),
    out,
  );
  const top = valueOf(parsed, "--one-top-level");
  folder.writeTree(top ?? literal("."));
}

/** Members are taken from the folder that the last -C before them names; each -C starts where the one before ended. */
function readMembers(parsed: ParsedOptions, out: Collector): void {
  let folder = out;
  for (const entry of parsed.sequence) {
    if (!isOption(entry)) readMember(entry, parsed, folder);
    else if (entry.option.name === "-C" && entry.value !== undefined) folder = folder.inside(entry.value);
    else if (entry.option.name === "--add-file" && entry.value !== undefined) readMember(entry.value, parsed, folder);
  }
}

function readMember(word: Word, parsed: ParsedOptions, folder: Collector): void {
  if (has(parsed, "--no-recursion")) folder.read(word);
  else folder.readTree(word);
  if (has(parsed, "--remove-files")) folder.removeTree(word);
}

/** tar(1), GNU: -f is taken from the folder in which tar starts, members from -C. */
export const tars: Family = [["tar gtar bsdtar", { run: tar }]];
