import { exhausted } from "../../../model/exhausted.ts";
import type { Redirect, SimpleCommand, Word } from "../simple-command.ts";
import { isReadOnlyGit } from "./read-only-git.ts";
import { textOf } from "./words.ts";

/** Options of each plain program that only change what it prints. */
const options: ReadonlyMap<string, RegExp> = new Map([
  [
    "ls",
    /^(-[1aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvwxXZ]+\d*|-[ITw].*|--(all|almost-all|author|escape|block-size|ignore-backups|color|directory|dired|classify|file-type|format|full-time|group-directories-first|no-group|human-readable|si|dereference-command-line|dereference-command-line-symlink-to-dir|hide|hyperlink|indicator-style|inode|ignore|kibibytes|dereference|numeric-uid-gid|literal|hide-control-chars|show-control-chars|quote-name|quoting-style|reverse|recursive|size|sort|time|time-style|tabsize|width|context|zero)(=.*)?|--(help|version))$/s,
  ],
  [
    "cat",
    /^(-[AbeEnstTuv]+|--(show-all|number-nonblank|show-ends|number|squeeze-blank|show-tabs|show-nonprinting|help|version))$/,
  ],
  ["pwd", /^-[LP]$/],
  ["whoami", /^--(help|version)$/],
  [
    "uname",
    /^(-[asnrvmpio]+|--(all|kernel-name|nodename|kernel-release|kernel-version|machine|processor|hardware-platform|operating-system|help|version))$/,
  ],
]);

/** Programs of the list that take no operands. */
const bare = /^(pwd|whoami|uname)$/;
const scriptName = /^[A-Za-z0-9_@.:/-]+$/;

/**
 * True for the exact shapes that run without a question by default: `ls cat pwd whoami uname`, `git status|diff|log`, `npm test`, `npm run`
 * and `npm run NAME`, and what cannot do anything by itself: `cd FOLDER`, `true`, `false`, `:`, `break`, `continue`, `exit`, `return`. Everything must be known: literal or glob
 * words, no assignment, no wrapper, a known folder, no redirect but copies of descriptors, /dev/null and reading a file. What the command
 * reads is judged apart: its effects say it.
 */
export function isReadOnlyCommand(command: SimpleCommand): boolean {
  const { argv, assignments, cwds, redirects, stdin, tainted, wrappers } = command;
  if (tainted || wrappers.length > 0 || assignments.length > 0 || cwds.some((cwd) => cwd === undefined)) return false;
  if (!redirects.every(isHarmless)) return false;
  if (leaves(argv)) return true;
  if (argv.some((word) => word.kind === "dynamic")) return false;
  const words = argv.map((word) => (word.kind === "literal" ? word.value : word.kind === "glob" ? word.pattern : ""));
  const [name, ...args] = words;
  if (name === undefined || argv[0]?.kind !== "literal") return false;
  // What a pattern matches may look like an option.
  if (argv.some((word) => word.kind === "glob" && /^[-*?[]/.test(word.pattern) && name !== "ls" && name !== "cat"))
    return false;
  // A script of the project may run what it reads, as `node` and `sh` do.
  if (name === "npm" && stdin.kind !== "inherited" && stdin.kind !== "none") return false;
  return hasShape(name, args);
}

/** `break`, `continue`, `exit` and `return`, with a number or the status of the command before. */
function leaves([first, ...others]: readonly Word[]): boolean {
  return (
    /^(break|continue|exit|return)$/.test(textOf(first) ?? "") &&
    others.every((word) => (word.kind === "dynamic" ? word.text === "$?" : /^\d+$/.test(textOf(word) ?? "")))
  );
}

function hasShape(name: string, args: readonly string[]): boolean {
  switch (name) {
    case "git":
      return isReadOnlyGit(args);
    case "npm":
      return isReadOnlyNpm(args);
    case "cd":
      return isPlainChange(args);
    case "true":
    case "false":
    case ":":
      return true;
    default: {
      const known = options.get(name);
      return known !== undefined && fits(args, known, bare.test(name));
    }
  }
}

function fits(args: readonly string[], known: RegExp, noOperands: boolean): boolean {
  const cut = args.indexOf("--");
  const before = cut === -1 ? args : args.slice(0, cut);
  const operands = [...before.filter((word) => !isOptionWord(word)), ...(cut === -1 ? [] : args.slice(cut + 1))];
  return before.filter(isOptionWord).every((word) => known.test(word)) && !(noOperands && operands.length > 0);
}

function isOptionWord(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

function isReadOnlyNpm(args: readonly string[]): boolean {
  if (args.length === 1) return args[0] === "test" || args[0] === "run";
  return (
    args.length === 2 &&
    args[0] === "run" &&
    args[1] !== undefined &&
    scriptName.test(args[1]) &&
    !args[1].startsWith("-")
  );
}

/** `cd`, `cd FOLDER`: where it leads is followed by the analysis. `cd -` and `~N` depend on what went before. */
function isPlainChange(args: readonly string[]): boolean {
  const rest = args.filter((word) => !/^-[LP]$/.test(word));
  if (rest[0] === "--") return rest.length <= 2 && rest[1] !== "-";
  return rest.length <= 1 && !(rest[0] ?? "").startsWith("-");
}

function isHarmless({ operator, target }: Redirect): boolean {
  const text = textOf(target);
  switch (operator) {
    case "close":
      return true;
    case "duplicate":
      return text !== undefined && /^(\d+|-|\d+-)$/.test(text);
    case "read":
      return target.kind !== "dynamic" && !/^\/dev\/(tcp|udp)\//.test(text ?? "");
    case "write":
    case "append":
      return text === "/dev/null";
    case "read-write":
      return false;
    default:
      return exhausted(operator);
  }
}
