import type { PathEffect } from "../../../model/effect.ts";
import type { PathMention, ProgramEffects, ProgramWorld } from "../programs/program-effects.ts";
import { headOf, literal, shown, textOf } from "../programs/words.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { resolveWord } from "./resolve-word.ts";

/** Programs that read code, statements or key strokes of their own kind from a word or from standard input: paths stand anywhere in it. */
const readsCode =
  /^(python[\d.]*|pypy3?|ipython3?|node|nodejs|deno|bun|ruby|jruby|irb|perl|php|lua(jit|5\.\d)?|tclsh|wish|expect|guile|racket|sbcl|clisp|ocaml|elixir|erl|escript|julia|Rscript|R|octave|gnuplot|swipl|m4|osascript|[gmn]?awk|jshell|vim?|vim?diff|nvim|ex|ed|red|emacs|emacsclient|sqlite3|psql|mysql|mariadb|duckdb|gdb|lldb|less|more|expr|sed|gsed|make|gmake|cmake|bash|sh|dash|zsh|ksh|fish|tmux|screen|parallel|xargs|ssh|su|entr|watchexec|trap|alias|complete|compgen|mapfile|bind)$/;

/**
 * Paths that a command's words name where nobody can tell what becomes of them: a file among the words of a program that is not understood, a name in inline
 * code, what a pattern makes the shell look at. Where the command is `understood` to the last word only what its program says itself counts. They are no effects: only rules that deny or ask hear of them.
 */
export function* supposedPaths(
  command: SimpleCommand,
  own: ProgramEffects,
  understood: boolean,
  world: ProgramWorld,
): Iterable<PathEffect> {
  const named = (word: Word): PathMention[] => resolveWord(word, command.cwds, world);
  for (const mention of own.supposed) yield effect("read", mention);
  if (understood) return;
  const args = command.argv.slice(1);
  const opened = command.redirects.filter(({ operator }) => operator === "read-write").map(({ target }) => target);
  for (const word of [...opened, ...args.filter(({ kind }) => kind === "glob")])
    for (const mention of named(word)) yield effect("read", mention);
  if (own.known && own.opaque.length === 0) return;
  for (const [text, written] of namesAmong(command, own.known))
    for (const mention of named(literal(text))) {
      yield effect("read", mention);
      if (written) yield effect("write", mention);
    }
}

/**
 * Texts that may be paths, and whether they may be written, too. Of a program in a table, what merely may be a path is read; what follows an option, looks
 * like a path or stands in code may be written.
 */
function namesAmong(command: SimpleCommand, known: boolean): ReadonlyMap<string, boolean> {
  const texts = new Map<string, boolean>();
  const program = programOf(command);
  // Its words are read to the end, and messages among them would be taken for files.
  if (program === "git") return texts;
  const isCode = readsCode.test(program);
  const args = command.argv.slice(1);
  args.forEach((word, at) => {
    const behindOption = headOf(args[at - 1] ?? literal("")).startsWith("-");
    for (const text of namesIn(word, isCode))
      texts.set(text, texts.get(text) === true || behindOption || !known || /[./]/.test(text));
  });
  if (isCode && command.stdin.kind === "literal")
    for (const text of piecesOf(command.stdin.text)) texts.set(text, true);
  return texts;
}

function effect(kind: "read" | "write", { path, exact }: PathMention): PathEffect {
  return { kind, path, exact };
}

function programOf({ argv }: SimpleCommand): string {
  const path = textOf(argv[0]) ?? "";
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The word, and what of it may be a file: behind an option letter, `=`, `@`, `:`, between commas; in code every piece. */
function namesIn(word: Word, isCode: boolean): string[] {
  const text = word.kind === "dynamic" ? word.parts.filter((part) => part !== undefined).join(" ") : shown(word);
  const glued = /^-[^-]./.test(text) ? [text.slice(2)] : [];
  const parts = [text, ...glued, ...text.split(/[=@:,<>]+/), ...(isCode ? piecesOf(text) : [])];
  return parts.filter(mayBePath);
}

function piecesOf(text: string): string[] {
  return text.split(/[\s"'`=@:,;|<>(){}[\]&!$]+/).filter(mayBePath);
}

/** Longer ones no system opens (limits.h(0p), PATH_MAX). */
function mayBePath(text: string): boolean {
  return text !== "" && text !== "-" && text.length <= 4096;
}
