import type { Word } from "../simple-command.ts";
import { has, valuesOf } from "./parse-options.ts";
import { program, unseen, type Call, type Family } from "./program.ts";
import { baseOf, dropHead, headOf, inFolder, literal, shown, textOf } from "./words.ts";

/** Options of C compilers whose value is the next word (GCC manual, "Option Summary"). */
const valued =
  /^-(o|x|I|L|D|U|l|F|MF|MT|MQ|MJ|include|imacros|isystem|iquote|idirafter|iprefix|iwithprefix|iwithprefixbefore|isysroot|imultilib|T|Xlinker|Xassembler|Xpreprocessor|Xclang|Xarch_\w+|u|z|e|h|aux-info|arch|framework|target|B|wrapper|G|A|dumpbase|dumpdir|dumpbase-ext|install_name|rpath|soname|mllvm|specs|plugin|Map)$/;
const runsCode =
  /^-(fplugin|wrapper|B|specs|Xclang|load|plugin|Xlinker|Xassembler|no-integrated-cpp|fuse-ld=\/)|^-W[lap],.*(plugin|-o|Map|@)|^@/;

/** What the compiler makes of a source where nothing names the result. */
function cCompiler(call: Call): void {
  const { out, args } = call;
  const sources: Word[] = [];
  const seen = new Set<string>();
  let target: Word | undefined;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined) continue;
    const head = headOf(word);
    if (runsCode.test(head)) out.opaque(`${call.name}: ${shown(word)} can load code or name further options`);
    if (!head.startsWith("-") || head === "-") {
      if (head !== "-" && !head.startsWith("@")) sources.push(word);
      continue;
    }
    const value = valued.test(head) ? args[++index] : undefined;
    seen.add(head);
    if (value !== undefined && head === "-o") target = value;
    else if (/^-o./.test(head) && !/^-objc/i.test(head)) target = dropHead(word, 2);
    else if (value !== undefined && /^-(MF|MJ|aux-info|Map)$/.test(head)) out.write(value);
    else if (value !== undefined && /^-(include|imacros|T)$/.test(head)) out.read(value);
    else if (value !== undefined && /^-(I|L|F|isystem|iquote|idirafter|isysroot)$/.test(head)) out.suppose(value);
    else if (/^-[IL]./.test(head)) out.suppose(dropHead(word, 2));
    else if (/^-MF./.test(head)) out.write(dropHead(word, 3));
    else if (
      /^-(save-temps|fdump|fprofile|fstats|ftest-coverage|fcallgraph|-coverage|coverage|gsplit-dwarf|ftime-trace)/.test(
        head,
      )
    )
      out.writeTree(literal("."));
  }
  for (const source of sources) out.read(source);
  if (seen.has("-E") || seen.has("-fsyntax-only") || seen.has("-M") || seen.has("-MM") || sources.length === 0) {
    if (target !== undefined && textOf(target) !== "-") out.write(target);
    return;
  }
  if (target !== undefined) out.write(target);
  else if (seen.has("-c") || seen.has("-S"))
    for (const source of sources) out.write(renamed(source, seen.has("-c") ? ".o" : ".s"));
  else out.write(literal("a.out"));
  if ((seen.has("-MD") || seen.has("-MMD")) && !seen.has("-MF"))
    for (const source of sources) out.write(renamed(target ?? source, ".d"));
}

/** The last component with another ending, in the working folder. */
function renamed(source: Word, ending: string): Word {
  const base = baseOf(source);
  if (base === undefined) return literal("");
  const stem = shown(base).replace(/\.[^.]*$/, "");
  return base.kind === "glob" ? { kind: "glob", pattern: `${stem}${ending}` } : literal(`${stem}${ending}`);
}

/** tsc(1): names of options are read without regard to case. */
function tsc({ args, out }: Call): void {
  let project: Word | undefined;
  let target: Word | undefined;
  const files: Word[] = [];
  let emits = true;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined) continue;
    const name = headOf(word).toLowerCase();
    const value = args[index + 1];
    if (
      /^--?(outdir|outfile|out|declarationdir|tsbuildinfofile|generatetrace|generatecpuprofile)$/.test(name) &&
      value !== undefined
    ) {
      if (/outdir|declarationdir|generatetrace/.test(name)) out.writeTree(value);
      else out.write(value);
      if (/out/.test(name)) target = value;
      index += 1;
    } else if (/^--?(p|project|b|build)$/.test(name)) {
      if (value !== undefined && !headOf(value).startsWith("-")) {
        project = value;
        index += 1;
      }
    } else if (
      /^--?(noemit|v|version|h|help|all|init|showconfig|listfilesonly|w|watch|strict|declaration|d|sourcemap|incremental|pretty|diagnostics|skiplibcheck|esmoduleinterop|allowjs|checkjs|emitdeclarationonly|verbose|force|clean|dry)$/.test(
        name,
      )
    ) {
      if (/^--?(noemit|v|version|h|help|all|showconfig|listfilesonly|dry)$/.test(name)) emits = false;
      if (value !== undefined && /^(true|false)$/.test(textOf(value) ?? "")) index += 1;
      if (/noemit/.test(name) && textOf(value) === "false") emits = true;
    } else if (name.startsWith("@")) out.opaque("tsc takes options from a file", "dynamic");
    else if (name.startsWith("-")) index += 1;
    else files.push(word);
  }
  for (const word of files) out.read(word);
  const folder =
    project === undefined
      ? out
      : out.inside(textOf(project)?.endsWith(".json") === true ? inFolder(project, literal("..")) : project);
  folder.readTree(literal("."));
  if (emits && target === undefined) folder.writeTree(literal("."));
}

const buildTools = `make gmake bmake ninja samu cmake ctest cpack meson bazel bazelisk buck2 gradle gradlew mvn mvnw ant sbt rake just task invoke scons tox
  nox nix-build nix nix-shell xmake premake pytest jest mocha vitest ava tap karma cypress playwright eslint prettier biome stylelint
  webpack vite rollup parcel next nuxt astro ng nx turbo lerna gulp grunt babel swc swcpack standard xo tslint vue-tsc mypy pyright ruff
  black isort flake8 pylint cabal stack ghc mix iex rebar3 dotnet msbuild swift xcodebuild flutter dart composer phpunit artisan rails rspec
  rubocop bundle bundler jekyll hugo sphinx-build mkdocs autoconf automake autoreconf libtool configure pre-commit husky lint-staged
  commitlint semantic-release goreleaser ko skaffold tilt earthly act`;

/** Compilers, and build tools that run whatever their project says. */
export const compilers: Family = [
  ["gcc g++ cc c++ clang clang++ c99 c89 gfortran tcc", { run: cCompiler }],
  [
    "as",
    program(
      "-o=w -aghnsDIJKLRvwZ --defsym=. -I=. -MD=w",
      (parsed, { out }) => {
        for (const word of parsed.operands) out.read(word);
        if (!has(parsed, "-o")) out.write(literal("a.out"));
      },
      "exact",
    ),
  ],
  ["ld ld.gold ld.lld ld.bfd gold lld", { run: cCompiler }],
  [
    "strip objcopy",
    program(
      `-sgSdxXpvDUw -K=. --strip-all --strip-debug --strip-unneeded -o=w -R,--remove-section=. -O,--output-target=. -I,--input-target=.
        -N,--strip-symbol=. -j,--only-section=. -F,--target=. -M,--merge-notes --no-merge-notes --remove-relocations=. --strip-dwo
        --keep-section=. --keep-section-symbols --keep-file-symbols --keep-symbol=. --info --preserve-dates --discard-all --discard-locals
        --only-keep-debug --add-gnu-debuglink=r`,
      (parsed, { name, out }) => {
        const [source, target] = parsed.operands;
        if (name === "objcopy" && target !== undefined) {
          if (source !== undefined) out.read(source);
          out.write(target);
          return;
        }
        for (const word of parsed.operands) {
          if (has(parsed, "-o")) out.read(word);
          else out.write(word);
        }
      },
    ),
  ],
  [
    "rustc",
    program(
      `-o=w --out-dir=W -O -g -v,--verbose --crate-type=. --crate-name=. --edition=. --emit=. -C,--codegen=. -L=. -l=. --cfg=.
        --check-cfg=. --extern=. --target=. -A,--allow=. -W,--warn=. -D,--deny=. -F,--forbid=. --cap-lints=. --print=. --test --explain=.
        --sysroot=. --error-format=. --color=. -Z=x`,
      (parsed, { out }) => {
        for (const word of parsed.operands) {
          if (textOf(word) !== "-") out.read(word);
          if (!has(parsed, "-o", "--out-dir")) out.write(renamed(word, ""));
        }
        if (valuesOf(parsed, "-C").some((word) => /linker|llvm-args|link-arg/.test(textOf(word) ?? "")))
          out.opaque("rustc -C linker starts a program");
      },
      "exact",
    ),
  ],
  [
    "javac",
    program(
      `-d=W --d=W -h=W -s=W -cp,-classpath=. --class-path=. -sourcepath=. --source-path=. -source=. -target=. --release=. -encoding=. -g
        --nowarn -processor=x -processorpath=x -J=x --module-path=. -p=.`,
      (parsed, { out }) => {
        for (const word of parsed.operands) {
          out.read(word);
          if (!has(parsed, "-d")) out.writeTree(inFolder(word, literal("..")));
        }
      },
      "words",
    ),
  ],
  ["tsc", { run: tsc }],
  [
    "esbuild",
    {
      run: ({ args, out, name }) => {
        for (const word of args) {
          const head = headOf(word);
          const value = dropHead(word, head.indexOf("=") + 1);
          if (head.startsWith("--outfile=") || head.startsWith("--metafile=")) out.write(value);
          else if (head.startsWith("--outdir=")) out.writeTree(value);
          else if (/^--(serve|watch|inject|analyze)/.test(head)) out.opaque(`${name} ${head} does more than build`);
          else if (!head.startsWith("-")) out.read(word);
        }
        out.readTree(literal("."));
      },
    },
  ],
  [
    "protoc",
    program(
      `-I,--proto_path=R --descriptor_set_out=w -o=w --include_imports --include_source_info --plugin=x --cpp_out=W --java_out=W
        --python_out=W --js_out=W --go_out=W --ts_out=W --es_out=W --csharp_out=W --ruby_out=W --php_out=W --kotlin_out=W --objc_out=W
        --dependency_out=w`,
      "r*",
      "exact",
    ),
  ],
  [
    "yacc bison flex lex",
    program(
      "-bdlLtvVgyWisfF8 -o,--output=w --header=?w --defines=?w -p=. -L=. --report=. --graph=?w",
      (parsed, { out }) => {
        for (const word of parsed.operands) out.read(word);
        if (!has(parsed, "-o")) out.writeTree(literal("."));
      },
    ),
  ],
  [
    "dot neato fdp sfdp twopi circo",
    program("-T=. -o=u -O -K=. -G=. -N=. -E=. -v -q -s=. -n=. -x -y -l=r -P", (parsed, { out }) => {
      for (const word of parsed.operands) {
        out.read(word);
        if (has(parsed, "-O")) out.write({ kind: "glob", pattern: `${shown(word)}.*` });
      }
    }),
  ],
  ["cpp", program("-o=w -I=. -D=. -U=. -include=r -P -C -E -M -x=. -std=. -W=?. -f=?.", "ru", "exact")],
  [buildTools, unseen("the project's own files decide what it does", { takesPaths: true })],
];
