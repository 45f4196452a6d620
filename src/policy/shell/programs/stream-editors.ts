import type { Word } from "../simple-command.ts";
import { optionTable } from "./option-table.ts";
import { has, parseOptions, valueOf, valuesOf, type ParsedOptions } from "./parse-options.ts";
import { applyOptions, program, type Call, type Family, type Operands } from "./program.ts";
import { readSedScript } from "./sed-script.ts";
import { baseOf, headOf, literal, shown, textOf, withSuffix } from "./words.ts";

/** Edits files where they stand; a suffix keeps the old text beside them. A `*` in the suffix stands for the file's name (sed, perl). */
function editInPlace(files: readonly Word[], suffix: string, { out }: Call): void {
  for (const word of files) {
    out.write(word);
    if (suffix === "") continue;
    const text = textOf(word);
    const base = textOf(baseOf(word));
    if (!suffix.includes("*") || text === undefined || base === undefined) out.write(withSuffix(word, suffix));
    else if (suffix.includes("/")) out.write(literal(suffix.replaceAll("*", base)));
    else out.write(literal(`${text.slice(0, text.length - base.length)}${suffix.replaceAll("*", base)}`));
  }
}

/** The suffix behind -i; a pattern that matches no file stays as it is written. */
function suffixOf(parsed: ParsedOptions): string {
  const word = valueOf(parsed, "-i");
  return word === undefined || word.kind === "dynamic" ? "" : shown(word);
}

const sed: Operands = (parsed, call) => {
  const { out } = call;
  const given = [...valuesOf(parsed, "-e")];
  const fromFile = has(parsed, "-f");
  const files = given.length > 0 || fromFile ? parsed.operands : parsed.operands.slice(1);
  if (given.length === 0 && !fromFile && parsed.operands[0] !== undefined) given.push(parsed.operands[0]);
  const inPlace = has(parsed, "-i");
  // BSD sed takes an empty word behind -i as the suffix; then the next word is the script.
  if (inPlace && textOf(parsed.operands[0]) === "" && files[0] !== undefined) given.push(files[0]);
  if (!has(parsed, "--sandbox")) scan(given, call);
  for (const word of valuesOf(parsed, "-f")) {
    if (textOf(word) !== "-") out.read(word);
    out.opaque(`sed -f: the script ${shown(word)} may write files or run programs`);
  }
  if (inPlace) editInPlace(files, suffixOf(parsed), call);
  else for (const word of files) if (textOf(word) !== "-") out.read(word);
};

function scan(scripts: readonly Word[], { out }: Call): void {
  const text = scripts
    .map((word) => (word.kind === "glob" ? word.pattern.replace(/\\([*?[\]\\])/g, "$1") : (textOf(word) ?? "")))
    .join("\n");
  const script = readSedScript(text);
  for (const file of script.reads) out.read(literal(file));
  for (const file of script.writes) out.write(literal(file));
  if (script.runs) out.opaque("sed runs a program by its e command or flag");
  if (script.unclear) out.opaque("sed: the script is not understood");
}

const awk: Operands = (parsed, call) => {
  const { out, name } = call;
  out.opaque(`${name}: a program text may write files and run commands`);
  const files = (has(parsed, "-f", "-E") ? parsed.operands : parsed.operands.slice(1)).filter(
    (word) => !/^[A-Za-z_]\w*=/.test(headOf(word)),
  );
  const inPlace = valuesOf(parsed, "-i").some((word) => /^inplace(\.awk)?$/.test(textOf(word) ?? ""));
  for (const word of files) {
    if (inPlace) out.write(word);
    else if (textOf(word) !== "-") out.read(word);
  }
};

const perlTable = optionTable(
  "-acfghnpsSTtuUvVwWX -e=. -E=. -F=?. -i=?. -0=?. -l=?. -I=. -m=?. -M=?. -x=?. -C=?. -d=?x -D=?.",
);

/** perl(1): `-i` edits in place; only plain substitutions are understood, any other text may do anything. */
function perl(call: Call): void {
  const parsed: ParsedOptions = parseOptions(call.args, perlTable, "posix");
  applyOptions(parsed, call);
  const { out } = call;
  const texts = [...valuesOf(parsed, "-e"), ...valuesOf(parsed, "-E")];
  const loops = has(parsed, "-p", "-n");
  const plain =
    texts.length > 0 &&
    loops &&
    !has(parsed, "-m", "-M", "-d", "-I", "-F", "-s") &&
    texts.every((word) => isPlainSubstitution(shown(word)));
  const files = texts.length > 0 ? parsed.operands : parsed.operands.slice(1);
  if (texts.length === 0 && parsed.operands[0] !== undefined && textOf(parsed.operands[0]) !== "-")
    out.read(parsed.operands[0]);
  // perl opens operands such as `id |` and `>file` by their marks (perlop, "I/O Operators").
  const marked = files.some((word) => /^\s*[|<>+]|\|\s*$/.test(shown(word)));
  if (marked || (!plain && !has(parsed, "-v", "-h"))) out.opaque("perl: a program may write files and run commands");
  if (has(parsed, "-i")) editInPlace(files, suffixOf(parsed), call);
  else if (plain || (loops && texts.length > 0 && !marked)) for (const word of files) out.read(word);
}

/** `s/a/b/g` and `tr/a/b/`, one or more, without code: no `e` flag, no interpolation of more than a capture. */
function isPlainSubstitution(text: string): boolean {
  const one =
    /\s*(?:s([/|#,!%])(?:[^\\\n]|\\.)*?\1(?:[^\\\n]|\\.)*?\1[gimsxon]*|(?:tr|y)([/|#,!%])(?:[^\\\n]|\\.)*?\2(?:[^\\\n]|\\.)*?\2[cdsr]*)\s*(?:;|$)/y;
  if (/\(\?\??\{|\(\?p\{|\\N\{|\$(?![\d&|)/#,!%]|$)|\$\d*\s*[[{(-]|(?<!\\)@/.test(text)) return false;
  let at = 0;
  while (at < text.length) {
    one.lastIndex = at;
    const hit = one.exec(text);
    if (hit === null || hit[0] === "") return false;
    at += hit[0].length;
  }
  return text.trim() !== "";
}

const patch: Operands = (parsed, call) => {
  const folder = valueOf(parsed, "-d");
  const out = folder === undefined ? call.out : call.out.inside(folder);
  const [original, file] = parsed.operands;
  const input = valueOf(parsed, "-i") ?? file;
  if (input !== undefined && textOf(input) !== "-") out.read(input);
  if (has(parsed, "--dry-run")) return original === undefined ? out.readTree(literal(".")) : out.read(original);
  const target = valueOf(parsed, "-o") ?? original;
  const rejects = valueOf(parsed, "-r");
  if (rejects !== undefined && textOf(rejects) !== "-") out.write(rejects);
  if (target === undefined) return out.writeTree(literal("."));
  if (target !== original && original !== undefined) out.read(original);
  if (textOf(target) === "-") return;
  out.write(target);
  for (const word of backups(parsed, target)) out.write(word);
  if (rejects === undefined) out.write(withSuffix(target, ".rej"));
};

/** The names under which patch keeps the old text: a suffix, or prefixes of the name or of its last part. */
function backups(parsed: ParsedOptions, target: Word): readonly Word[] {
  const prefix = valueOf(parsed, "-B");
  const basePrefix = valueOf(parsed, "-Y");
  const base = baseOf(target);
  const text = textOf(target);
  if (prefix !== undefined) return [literal(`${textOf(prefix) ?? ""}${text ?? ""}`)];
  if (basePrefix !== undefined && base !== undefined && text !== undefined) {
    const folder = text.slice(0, text.lastIndexOf("/") + 1);
    return [literal(`${folder === "" ? "." : folder}/${textOf(basePrefix) ?? ""}${shown(base)}`)];
  }
  return [withSuffix(target, textOf(valueOf(parsed, "-z")) ?? ".orig")];
}

const sedOptions = `-n,--quiet,--silent -e,--expression=. -f,--file=. -i,-I,--in-place=?. -l,--line-length=. -E,-r,--regexp-extended -s,--separate
  -z,--null-data -u,--unbuffered -a --posix --debug --follow-symlinks --sandbox -b,--binary`;

const patchOptions = `-bcCeEflnNRstTuvZ --backup --context --dry-run,--check,-C --ed! --remove-empty-files --force --ignore-whitespace --normal --forward
  --reverse --quiet,--silent --batch --unified --set-time --set-utc --binary --verbose --posix -B,--prefix=. -d,--directory=. -D,--ifdef=.
  -F,--fuzz=. -g,--get=. -i,--input=. -o,--output=. -p,--strip=. -r,--reject-file=. -V,--version-control=. -x,--debug=.
  -Y,--basename-prefix=. -z,--suffix=. --merge=?. --quoting-style=. --read-only=. --reject-format=. --follow-symlinks --backup-if-mismatch
  --no-backup-if-mismatch`;

const awkOptions = `-F,--field-separator=. -v,--assign=. -f,--file=r -E,--exec=r -i,--include=. -l,--load=x -d,--dump-variables=?u -o,--pretty-print=?u
  -p,--profile=?u -e,--source=. -bcCghIkMnNOPrsStV -D,--debug=?. -L,--lint=?. -W=. -m=. --re-interval --posix --sandbox --traditional --csv
  --characters-as-bytes --non-decimal-data --use-lc-numeric --optimize --no-optimize --bignum`;

/** sed, awk, perl and patch. */
export const streamEditors: Family = [
  ["sed gsed ssed", program(sedOptions, sed)],
  ["awk gawk mawk nawk original-awk", program(awkOptions, awk, "posix")],
  ["perl", { run: perl }],
  ["patch gpatch", program(patchOptions, patch)],
];
