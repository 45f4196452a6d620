import type { Word } from "../simple-command.ts";
import type { Family, Program } from "./program.ts";
import { headOf, literal, textOf } from "./words.ts";

/** Tests and options of find(1) by the number of words that follow them. */
const none = new Set(
  `-daystart -depth -d -follow -ignore_readdir_race -noignore_readdir_race -mount -nowarn -warn -xdev -empty -executable -readable
    -writable -false -true -nogroup -nouser -print -print0 -ls -prune -quit -a -and -o -or -not -noleaf -x -help -version`.split(
    /\s+/,
  ),
);
const one = new Set(
  `-maxdepth -mindepth -regextype -amin -atime -cmin -ctime -mmin -mtime -fstype -gid -group -ilname -iname -inum -ipath -iregex
    -iwholename -links -lname -name -path -perm -regex -size -type -uid -used -user -wholename -xtype -context -printf -Bmin -Btime -flags
    -D`.split(/\s+/),
);
/** Tests that look at the times of another file. */
const reference = /^-(newer([aBcm][aBcm])?|anewer|cnewer|samefile)$/;
const runs = /^-(exec|execdir|ok|okdir)$/;

/**
 * find(1): lists everything below its start folders; its actions delete below them, write lists, or run programs. What it runs is a
 * command of its own and not looked at here.
 */
const find: Program = {
  run({ args, out }) {
    let index = 0;
    while (/^-([HLPEXdsx]+|O\d?|D)$/.test(textOf(args[index]) ?? "")) index += textOf(args[index]) === "-D" ? 2 : 1;
    const starts: Word[] = [];
    while (index < args.length && !startsExpression(args[index])) {
      const word = args[index++];
      if (word !== undefined && textOf(word) !== "--") starts.push(word);
    }
    if (starts.length === 0) starts.push(literal("."));
    for (const start of starts) out.readTree(start);
    while (index < args.length) {
      const text = textOf(args[index]) ?? "";
      const next = args[index + 1];
      index += 1;
      if (text === "-delete") for (const start of starts) out.removeTree(start);
      else if (runs.test(text)) index = endOfExec(args, index);
      else if (/^-(fprint|fprint0|fls|fprintf)$/.test(text)) {
        if (next !== undefined) out.write(next);
        index += text === "-fprintf" ? 2 : 1;
      } else if (text === "-files0-from" || text === "-f") {
        if (next !== undefined && text === "-files0-from") out.read(next);
        out.opaque(`find ${text}: the start folders come from elsewhere`, "dynamic");
        index += 1;
      } else if (reference.test(text)) {
        if (next !== undefined && !text.endsWith("t")) out.read(next);
        index += 1;
      } else if (one.has(text)) index += 1;
      else if (!none.has(text) && !/^[()!,]$/.test(text))
        out.opaque(`find: what ${text === "" ? "a word" : text} does is not known`);
    }
  },
};

function startsExpression(word: Word | undefined): boolean {
  return word === undefined || /^(-(?!-$)|[(!]$|\($)/.test(headOf(word));
}

/** The index behind `;`, or behind `{} +`. */
function endOfExec(args: readonly Word[], from: number): number {
  for (let index = from; index < args.length; index += 1) {
    const text = textOf(args[index]);
    if (text === ";" || (text === "+" && textOf(args[index - 1]) === "{}")) return index + 1;
  }
  return args.length;
}

/** find(1) alone. */
export const finders: Family = [["find gfind", find]];
