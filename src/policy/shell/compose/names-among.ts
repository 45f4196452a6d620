import { exhausted } from "../../../model/exhausted.ts";
import { headOf, literal, shown, textOf } from "../programs/words.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";

/** Programs that read code, statements or key strokes of their own kind from a word or from standard input: paths stand anywhere in it. */
const languages =
  /^(python[\d.]*|pypy3?|ipython3?|node|nodejs|deno|bun|ruby|jruby|irb|perl|php|lua(jit|5\.\d)?|guile|racket|sbcl|clisp|ocaml|elixir|erl|escript|julia|Rscript|R|octave|gnuplot|swipl|m4|osascript|[gmn]?awk|jshell|vim?|vim?diff|nvim|ex|ed|red|emacs|emacsclient|sqlite3|psql|mysql|mariadb|duckdb|gdb|lldb|less|more|expr|sed|gsed)$/;

/** Programs that start others by texts among their words: what stands there may be written by those. */
const runners =
  /^(tclsh|wish|expect|bash|sh|dash|zsh|ksh|fish|tmux|screen|parallel|xargs|su|entr|watchexec|trap|alias|complete|compgen|mapfile|bind)$/;

/** Programs whose makefiles and scripts may stand in words or input; their plain words name goals. */
const builders = /^(g?make|cmake)$/;

/** Code without any of these words and marks does not write, or hides it: then no text tells. */
const writes =
  /write|save|dump|append|unlink|remove|rename|replace|move|copy|mkdir|rmtree|rmdir|truncate|touch|chmod|link|put_contents|export|output|system|exec|spawn|popen|subprocess|shell|shutil|pathlib|\bos\b|open\s{0,9}\([^)]{0,200},|open\s{0,9}\(?\s{0,9}[A-Z]\w{0,40}\s{0,9},|>|`|[|!]|:w|\bw\b|\bx\b|\bZZ\b/i;

/** Test runners and checkers: they read what they are given, unless an option says otherwise. */
const checkers =
  /^(pytest|jest|vitest|mocha|ava|tap|karma|cypress|playwright|phpunit|rspec|tox|nox|ctest|eslint|stylelint|prettier|biome|tslint|standard|xo|mypy|pyright|flake8|pylint|ruff|rubocop|tsc|vue-tsc|commitlint|shellcheck|(go|cargo) (test|vet|check|clippy|bench|list))$/;
const changes =
  /^(--fix.*|--write|-w|-i|--in-?place|-u|--update.*|-o.*|--out.*|--cov-report.*|--junit.*|--report.*|--apply.*|--save.*|format)$/;

/** Programs whose plain words name things elsewhere: containers, accounts, machines. */
const elsewhere =
  /^(docker|podman|nerdctl|kubectl|oc|helm|docker-compose|podman-compose|vagrant|terraform|tofu|pulumi|aws|gcloud|az|gh|glab|hub|heroku|vercel|netlify|fly|flyctl|firebase|wrangler|doctl|rclone|s3cmd|gsutil)$/;

/** Options whose value is a place or a file that is made. */
const places = /^(-[oOCdD]|--?(out|dir|dest|target|prefix|path|file|log|cache|cwd|root|to)[\w-]*)$/i;

/**
 * Texts among a command's words, and in its input where that is code, that may be paths, and whether they may be written, too: by a program in no table always; in
 * code where it does anything but read; by known programs what looks like a path or follows an option that names a place.
 */
export function namesAmong({ argv, stdin }: SimpleCommand, known: boolean): ReadonlyMap<string, boolean> {
  const texts = new Map<string, boolean>();
  const program = programOf(argv);
  // Its words are read to the end, and messages among them would be taken for files.
  if (program === "git") return texts;
  const kind = known ? kindOf(program) : "unknown";
  const args = program === "ssh" ? beforeHost(argv.slice(1)) : argv.slice(1);
  const changing = args.some((word) => changes.test(textOf(word) ?? ""));
  const put = (text: string, written: boolean): void => {
    texts.set(text, texts.get(text) === true || written);
  };
  const putPieces = (code: string): void => {
    const written = kind !== "language" || writes.test(code);
    for (const piece of piecesOf(code)) put(piece, written);
  };
  args.forEach((word, at) => {
    const text = knownText(word);
    const isPlace = places.test(headOf(args[at - 1] ?? literal("")));
    const mayWrite = kind === "language" && writes.test(text);
    for (const name of namesIn(text)) {
      const looksLikePath = /[./~]/.test(name);
      switch (kind) {
        case "unknown":
        case "runner":
          put(name, true);
          break;
        case "checker":
          put(name, changing);
          break;
        case "elsewhere":
          if (looksLikePath) put(name, true);
          break;
        case "language":
          put(name, isPlace || (looksLikePath && mayWrite));
          break;
        case "builder":
        case "other":
          put(name, isPlace || looksLikePath);
          break;
        default:
          exhausted(kind);
      }
    }
    // A goal of a makefile is no code.
    if (kind === "language" || kind === "runner" || (kind === "builder" && /\s/.test(text))) putPieces(text);
  });
  if (stdin.kind === "literal" && /^(language|runner|builder)$/.test(kind)) putPieces(stdin.text);
  return texts;
}

type Kind = "language" | "runner" | "builder" | "checker" | "elsewhere" | "other";

function kindOf(program: string): Kind {
  if (languages.test(program)) return "language";
  if (runners.test(program)) return "runner";
  if (builders.test(program)) return "builder";
  if (checkers.test(program)) return "checker";
  return elsewhere.test(program) ? "elsewhere" : "other";
}

/** `npx jest` is judged as jest, and go and cargo by what they are told to do. */
function programOf([first, second]: readonly Word[]): string {
  const path = textOf(first) ?? "";
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^(npx|pnpx|bunx)$/.test(name)) return textOf(second) ?? name;
  return /^(go|cargo)$/.test(name) ? `${name} ${textOf(second) ?? ""}` : name;
}

/** What ssh is given behind the host is the other machine's. */
function beforeHost(words: readonly Word[]): readonly Word[] {
  let at = 0;
  while (at < words.length && headOf(words[at] ?? literal("")).startsWith("-"))
    at += /^-[BbcDEeFIiJLlmOopQRSWw]$/.test(headOf(words[at] ?? literal(""))) ? 2 : 1;
  return words.slice(0, at);
}

function knownText(word: Word): string {
  return word.kind === "dynamic" ? word.parts.filter((part) => part !== undefined).join(" ") : shown(word);
}

/** The word, and what of it may be a file: behind an option letter, `=`, `@`, `:`, between commas. */
function namesIn(text: string): string[] {
  const glued = /^-[^-]./.test(text) ? [text.slice(2)] : [];
  return [text, ...glued, ...text.split(/[=@:,<>]+/)].filter(mayBePath);
}

function piecesOf(text: string): string[] {
  return text.split(/[\s"'`=@:,;|<>(){}[\]&!$]+/).filter(mayBePath);
}

/** Longer ones no system opens (limits.h(0p), PATH_MAX). */
function mayBePath(text: string): boolean {
  return text !== "" && text !== "-" && text.length <= 4096;
}
