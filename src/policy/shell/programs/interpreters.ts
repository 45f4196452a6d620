import { pip } from "./packages.ts";
import { program, unseen, type Call, type Family, type Program } from "./program.ts";
import { headOf, literal, shown, textOf } from "./words.ts";

/** Options of an interpreter, as far as they decide where its program text is. */
interface Interpreter {
  /** The next word, or what is glued to it, is program text. */
  readonly code: RegExp;
  /** The next word is a value. */
  readonly valued: RegExp;
  /** It answers and ends. */
  readonly ends: RegExp;
}

/** An interpreter runs a script file, text or standard input: the script is read, everything else is not seen. */
function interpreter(kind: Interpreter): Program {
  return {
    takesPaths: true,
    run(call) {
      const { args, out, name } = call;
      for (let index = 0; index < args.length; index += 1) {
        const word = args[index];
        if (word === undefined) continue;
        const head = headOf(word);
        if (kind.ends.test(head) && args.length === 1) return;
        if (kind.code.test(head)) break;
        if (kind.valued.test(head)) index += 1;
        else if (head === "--" || !head.startsWith("-")) {
          const script = head === "--" ? args[index + 1] : word;
          if (script !== undefined && textOf(script) !== "-") out.read(script);
          break;
        } else if (head === "-") break;
      }
      out.opaque(`${name}: a program may read, write and reach anything`);
    },
  };
}

const python = interpreter({
  code: /^-[bBdEhiIOPqsSuvVx]*[cm]/,
  valued: /^-[WX]$|^--check-hash-based-pycs$/,
  ends: /^(-V|-VV|--version|-h|--help)$/,
});

/** Modules of the standard library whose doing can be read from their words. */
function pythonCommand(call: Call): void {
  const at = call.args.findIndex((word) => headOf(word).startsWith("-m"));
  const before = call.args.slice(0, Math.max(at, 0));
  const module =
    at === -1 || before.some((word) => !/^-[bBdEIOPqsSuv]+$/.test(textOf(word) ?? ""))
      ? undefined
      : textOf(call.args[at]) === "-m"
        ? textOf(call.args[at + 1])
        : textOf(call.args[at])?.slice(2);
  const args = call.args.slice(textOf(call.args[at]) === "-m" ? at + 2 : at + 1);
  if (module === "venv") return venv.run({ ...call, args, name: "venv" });
  if (module === "pip") return pip({ ...call, args, name: "pip" });
  if (module === "json.tool") return jsonTool.run({ ...call, args, name: "json.tool" });
  if (module === "py_compile" || module === "compileall")
    return args.forEach((word) => (headOf(word).startsWith("-") ? undefined : call.out.writeTree(word)));
  if (module === "http.server") call.out.readTree(literal("."));
  python.run(call);
}

const venv = program(
  "--system-site-packages --symlinks --copies --clear --upgrade --without-pip --prompt=. --upgrade-deps --without-scm-ignore-files",
  "W*",
);
const jsonTool = program("--sort-keys --json-lines --no-ensure-ascii --indent=. --tab --no-indent --compact", "ru");

const node = interpreter({
  code: /^(-[ep]|-pe|--eval|--print)(=|$)/,
  valued:
    /^(-r|-C|--require|--import|--loader|--experimental-loader|--conditions|--env-file|--input-type|--inspect-port|--title|--stack-trace-limit)$/,
  ends: /^(-v|--version|-h|--help)$/,
});

const shellLike = interpreter({
  code: /^-[a-zA-Z]*[eErR]/,
  valued: /^-[ICdfZzSx]$|^--(require|include)$/,
  ends: /^(-v|--version|-V|--help|-h)$/,
});

/** Interpreters of programming languages. */
export const interpreters: Family = [
  [
    "python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython",
    { run: pythonCommand, takesPaths: true },
  ],
  ["node nodejs", node],
  [
    `ruby jruby irb php lua luajit tclsh wish expect guile racket sbcl clisp ocaml elixir erl escript julia Rscript R octave gnuplot swipl
      m4 osascript scala kotlin groovy jshell crystal nim raku perl6 pwsh powershell qjs d8 gjs`,
    shellLike,
  ],
  ["deno", unseen("a program may read, write and reach anything that its flags allow")],
  [
    "java javaw jar jrunscript",
    {
      run: ({ args, out, name }) => {
        for (const word of args)
          if (/\.(jar|java|class)$/.test(shown(word)) && !headOf(word).startsWith("-")) out.read(word);
        out.opaque(`${name}: a program may read, write and reach anything`);
      },
    },
  ],
  [
    "dc bc",
    program("-hilqswv -e,--expression=. -f,--file=r", (parsed, { out, name }) => {
      for (const word of parsed.operands) out.read(word);
      if (name === "dc") out.opaque("dc runs commands with !");
    }),
  ],
];
