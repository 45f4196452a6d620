import type { Word } from "../simple-command.ts";
import { optionTable } from "./option-table.ts";
import { has, parseOptions, valueOf } from "./parse-options.ts";
import { applyOptions, unseen, type Call, type Family } from "./program.ts";
import { headOf, inFolder, literal, textOf, verbOf } from "./words.ts";

const pipTable =
  optionTable(`-t,--target=. --root=W --prefix=W -r,--requirement=r -c,--constraint=r -e,--editable=. -d,--dest,--download-dir=. -w,--wheel-dir=.
    --src=W --cache-dir=W --log=w --report=u --index-url,-i=. --extra-index-url=. -f,--find-links=. --proxy=. --cert=r --client-cert=r
    --platform=. --python-version=. --implementation=. --abi=. --timeout=. --retries=. --trusted-host=. --python=x --exists-action=.
    --no-binary=. --only-binary=. --progress-bar=. -C,--config-settings=. --global-option=. --build-option=. --upgrade-strategy=. --format=.
    --path=. --exclude=. --keyring-provider=. -U,--upgrade -q,--quiet -v,--verbose -y,--yes --user --pre --no-deps --no-index --no-cache-dir
    --force-reinstall -I,--ignore-installed --ignore-requires-python --no-build-isolation --use-pep517 --no-use-pep517 --compile
    --no-compile --no-warn-script-location --no-warn-conflicts --break-system-packages --require-hashes --no-clean --prefer-binary
    --isolated --require-virtualenv --disable-pip-version-check --no-color --no-input --debug -o,--outdated -u,--uptodate -l,--local
    --include-editable --exclude-editable --not-required -F,--files --all --freeze --dry-run --no-python-version-warning
    --root-user-action=. -h -V`);

/** pip(1): which index is asked, its settings say; set-up code of a package may run while it is installed. */
export function pip(call: Call): void {
  const parsed = parseOptions(call.args, pipTable);
  applyOptions(parsed, call);
  const { out } = call;
  const [verb, ...packages] = parsed.operands;
  const name = verbOf(verb);
  if (/^(list|show|freeze|check|debug|help|inspect|hash|completion|)$/.test(name)) return;
  if (/^(search|index)$/.test(name)) return out.reach("*", 443);
  if (/^(install|download|wheel)$/.test(name)) {
    for (const word of packages) if (/^[./~]|\.(whl|zip|tar\.gz)$/.test(textOf(word) ?? "")) out.readTree(word);
    const editable = valueOf(parsed, "-e");
    if (editable !== undefined && !/:\/\/|^git\+/.test(textOf(editable) ?? "")) out.writeTree(editable);
    const target = name === "install" ? valueOf(parsed, "-t") : (valueOf(parsed, "-d", "-w") ?? literal("."));
    if (target !== undefined) out.writeTree(target);
    if (!has(parsed, "--no-index")) out.reach("*", 443);
  }
  if (name === "config" && textOf(packages[0]) !== "list" && textOf(packages[0]) !== "get")
    out.write(inFolder(literal(out.home), literal(".config/pip/pip.conf")));
  out.opaque("pip: set-up code of packages may do more");
}

const cargoTable =
  optionTable(`--target-dir=. --manifest-path=. -C=. --out-dir,--artifact-dir=W --root=. -p,--package=. --features,-F=. --target=. --profile=.
    -j,--jobs=. --bin=. --example=. --test=. --bench=. --exclude=. --message-format=. --color=. --config=x -Z=x --path=. --git=. --branch=.
    --tag=. --rev=. --version=. --registry=. --index=. --token=. --name=. --edition=. --vcs=. --lockfile-path=w --depth=. -e=. -i,--invert=.
    --precise=. --rename=. -q,--quiet -v,--verbose -r,--release --workspace --all --all-targets --all-features --no-default-features --lib
    --bins --tests --benches --examples --locked --offline --frozen --keep-going --no-fail-fast --doc --no-run --open --no-deps
    --document-private-items --fix! --allow-dirty --allow-staged --allow-no-vcs --dev --build --optional -f,--force --no-track --debug
    --list --dry-run -n --aggressive --check --timings=?. --ignore-rust-version --broken-code --edition-idioms -h -V`);

function cargo(call: Call): void {
  const args = call.args.filter((word, index) => !(index === 0 && textOf(word)?.startsWith("+") === true));
  const cut = args.findIndex((word) => textOf(word) === "--");
  const parsed = parseOptions(cut === -1 ? args : args.slice(0, cut), cargoTable);
  applyOptions(parsed, call);
  const folder = valueOf(parsed, "-C");
  const out = folder === undefined ? call.out : call.out.inside(folder);
  const [verb, first] = parsed.operands;
  const name = verbOf(verb);
  const manifest = valueOf(parsed, "--manifest-path");
  const home: Word = manifest === undefined ? literal(".") : inFolder(manifest, literal(".."));
  const target = valueOf(parsed, "--target-dir") ?? inFolder(home, literal("target"));
  if (
    /^(build|b|check|c|test|t|run|r|bench|doc|d|clippy|rustc|rustdoc|fix|package|publish|llvm-cov|nextest|miri)$/.test(
      name,
    )
  ) {
    out.readTree(home);
    out.writeTree(target);
    if (name === "fix") out.writeTree(home);
    out.opaque("cargo: build scripts and tests may do more");
  } else if (name === "new" || name === "init") out.writeTree(first ?? literal("."));
  else if (name === "clean") out.removeTree(target);
  else if (name === "fmt") {
    if (args.some((word) => textOf(word) === "--check")) out.readTree(home);
    else out.writeTree(home);
  } else if (/^(add|remove|rm|update|generate-lockfile|vendor)$/.test(name)) {
    for (const file of ["Cargo.toml", "Cargo.lock"]) out.write(inFolder(home, literal(file)));
    if (name === "vendor") out.writeTree(first ?? literal("vendor"));
    out.reach("*", 443);
  } else if (/^(metadata|tree|locate-project|pkgid|verify-project|read-manifest|version|help|)$/.test(name))
    out.readTree(home);
  else if (name === "fetch" || name === "search" || name === "info") out.reach("*", 443);
  else out.opaque(`cargo ${name}: build scripts or plug-ins may do more`);
}

const goTable = optionTable(
  `-o=. -C=. -p=. -mod=. -modfile=. --modcacherw -tags=. -ldflags=x -gcflags=x -asmflags=. -toolexec=x -exec=x -overlay=r -pkgdir=.
    -buildmode=. -run=. -bench=. -count=. -timeout=. --cover -coverprofile=w -cpuprofile=w -memprofile=w -trace=w -v -x -n -a --race --json
    -w=. -l -u -t -d -f=. -m -e --deps`,
);

function go(call: Call): void {
  const parsed = parseOptions(call.args.slice(1), goTable, "words");
  applyOptions(parsed, { ...call, name: "go" });
  const verb = verbOf(call.args[0]);
  const folder = valueOf(parsed, "-C");
  const out = folder === undefined ? call.out : call.out.inside(folder);
  if (/^(version|env|help|list|doc|)$/.test(verb)) {
    if (verb === "env" && call.args.some((word) => /^-[wu]/.test(textOf(word) ?? "")))
      out.opaque("go env -w changes what later commands run", "environment");
    return out.readTree(literal("."));
  }
  if (verb === "fmt") return out.writeTree(literal("."));
  if (verb === "vet" || verb === "build") {
    out.readTree(literal("."));
    const target = valueOf(parsed, "-o");
    if (target !== undefined) out.write(target);
    else if (verb === "build") out.writeTree(literal("."));
  }
  if (verb === "mod" || verb === "get" || verb === "work")
    for (const name of ["go.mod", "go.sum"]) out.write(literal(name));
  if (verb === "mod" || verb === "get" || verb === "install" || verb === "build") out.reach("*", 443);
  if (verb !== "vet") out.opaque(`go ${verb}: modules, generators or tests may do more`);
}

const systemManagers = `apt apt-get aptitude dpkg dnf yum rpm zypper apk pacman yay paru emerge brew port snap flatpak nix-env guix pkg pkg_add xbps-install gem
  conda mamba micromamba poetry pipenv pipx uv uvx pdm hatch rye npx pnpx bunx corepack nvm fnm volta pyenv rbenv asdf mise sdk rustup gvm
  opam luarocks cpan cpanm tlmgr easy_install virtualenv twine vcpkg conan`;

/** Package managers of languages and systems. */
export const packages: Family = [
  ["pip pip3", { run: pip }],
  ["cargo", { run: cargo }],
  ["go", { run: go, takesPaths: true }],
  [
    "gofmt goimports",
    {
      run: ({ args, out }) =>
        args.forEach((word) =>
          headOf(word).startsWith("-")
            ? undefined
            : args.some((flag) => textOf(flag) === "-w")
              ? out.writeTree(word)
              : out.readTree(word),
        ),
    },
  ],
  [systemManagers, unseen("it installs or runs code from elsewhere", { takesPaths: true })],
];
