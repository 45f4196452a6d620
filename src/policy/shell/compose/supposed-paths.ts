import type { PathEffect } from "../../../model/effect.ts";
import type { PathMention, ProgramEffects, ProgramWorld } from "../programs/program-effects.ts";
import { literal, shown, textOf } from "../programs/words.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { resolveWord } from "./resolve-word.ts";

/** Programs that read code, statements or key strokes of their own kind from a word or from standard input: paths stand anywhere in it. */
const readsCode =
  /^(python[\d.]*|pypy3?|ipython3?|node|nodejs|deno|bun|ruby|jruby|irb|perl|php|lua(jit|5\.\d)?|tclsh|wish|expect|guile|racket|sbcl|clisp|ocaml|elixir|erl|escript|julia|Rscript|R|octave|gnuplot|swipl|m4|osascript|[gmn]?awk|jshell|vim?|vim?diff|nvim|ex|ed|red|emacs|emacsclient|sqlite3|psql|mysql|mariadb|duckdb|gdb|lldb|less|more|expr|sed|gsed|make|gmake|cmake|bash|sh|dash|zsh|ksh|fish|tmux|screen|parallel|xargs|ssh|su|entr|watchexec|trap|alias|complete|compgen|mapfile|bind)$/;

/** Longest text that is searched for paths, in UTF-16 units: as long as a text that is decided at all. */
const longest = 65_536;

/**
 * Paths that a command's words name where nobody can tell what becomes of them: a file among the words of a program that is not understood, a name in inline
 * code, what a pattern makes the shell look at. Where the command is `understood` to the last word only what its program says itself counts. They are no effects: only rules that deny or ask hear of them.
 */
export function supposedPaths(
  command: SimpleCommand,
  own: ProgramEffects,
  understood: boolean,
  world: ProgramWorld,
): PathEffect[] {
  const found: PathEffect[] = own.supposed.map((mention) => effect("read", mention));
  if (understood) return found;
  for (const { operator, target } of command.redirects)
    if (operator === "read-write")
      found.push(...mentions(target, command, world).map((mention) => effect("read", mention)));
  const args = command.argv.slice(1);
  for (const word of args)
    if (word.kind === "glob") found.push(...mentions(word, command, world).map((mention) => effect("read", mention)));
  if (own.known && own.opaque.length === 0) return found;
  const program = programOf(command);
  // Its words are read to the end, and messages among them would be taken for files.
  if (program === "git") return found;
  const texts = new Set<string>();
  for (const word of args) namesIn(word, readsCode.test(program), texts);
  if (readsCode.test(program) && command.stdin.kind === "literal") piecesOf(command.stdin.text, texts);
  for (const text of texts)
    for (const mention of mentions(literal(text), command, world)) {
      found.push(effect("read", mention));
      if (!own.known || /[./]/.test(text)) found.push(effect("write", mention));
    }
  return found;
}

function effect(kind: "read" | "write", { path, exact }: PathMention): PathEffect {
  return { kind, path, exact };
}

function mentions(word: Word, { cwds }: SimpleCommand, world: ProgramWorld): PathMention[] {
  return resolveWord(word, cwds, world);
}

function programOf({ argv }: SimpleCommand): string {
  const path = textOf(argv[0]) ?? "";
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The word, and what of it may be a file: behind an option letter, `=`, `@`, `:`, between commas; in code every piece. */
function namesIn(word: Word, isCode: boolean, into: Set<string>): void {
  const text = word.kind === "dynamic" ? word.parts.filter((part) => part !== undefined).join(" ") : shown(word);
  if (text.length > longest) return;
  add(text, into);
  if (/^-[^-]./.test(text)) add(text.slice(2), into);
  for (const part of text.split(/[=@:,<>]+/)) add(part, into);
  if (isCode) piecesOf(text, into);
}

function piecesOf(text: string, into: Set<string>): void {
  if (text.length > longest) return;
  for (const piece of text.split(/[\s"'`=@:,;|<>(){}[\]&!$]+/)) add(piece, into);
}

function add(text: string, into: Set<string>): void {
  if (text !== "" && text !== "-" && text.length <= 4096) into.add(text);
}
