import type { Word } from "../simple-command.ts";
import { optionTable } from "./option-table.ts";
import { has, parseOptions, valueOf, type ParsedOptions } from "./parse-options.ts";
import { applyOptions, type Call, type Family, type Program } from "./program.ts";
import { inFolder, literal, textOf, verbOf } from "./words.ts";

/** npm(1): only what takes a value or names a folder matters; every other `--word` is a switch. */
const table =
  optionTable(`-C,--prefix=. --pack-destination=. --registry=. --userconfig=o --globalconfig=o --cache=W -w,--workspace=. --tag=. --otp=. --loglevel=.
    --script-shell=x --node-options=x --before=. --access=. --omit=. --include=. --save-prefix=. --init-author-name=. --scope=. --git=x
    --shell=x --editor=x --viewer=x --cafile=r --cert=. --key=. --https-proxy=. --proxy=. --noproxy=. --depth=. --maxsockets=.
    --fetch-timeout=. --install-strategy=. --location=. --only=. --package=. --call=x -c=x -p=. --os=. --cpu=. --libc=. --logs-dir=W
    --message=. -m=. --preid=. --audit-level=. --expect-results --user-agent=. --init-module=x -g,--global -y,--yes -D,--save-dev -S,--save
    -P,--save-prod -O,--save-optional -B,--save-bundle -E,--save-exact -f,--force -s,--silent -d --dd --ddd -q,--quiet -l,--long -a,--all -h
    -v -ws,--workspaces -i --no-save --json --parseable --dry-run --production --dev --ignore-scripts=?. --no-audit --no-fund --audit=?.
    --fund=?. --legacy-peer-deps --strict-peer-deps --package-lock=?. --package-lock-only --no-package-lock --prefer-offline --prefer-online
    --offline --if-present --foreground-scripts=?. --engine-strict --bin-links=?. --color=?. --no-color --no-progress --progress=?.
    --verbose --silent --no-optional --unicode --timing --include-workspace-root --diff=. --allow-same-version --git-tag-version=?.
    --no-git-tag-version --commit-hooks=?. --sign-git-tag --no-yes`);

const installing =
  /^(install|i|in|ins|inst|add|ci|clean-install|ic|install-clean|isntall|install-test|it|cit|update|up|upgrade|udpate|uninstall|un|unlink|remove|rm|r|dedupe|ddp|find-dupes|rebuild|rb|link|ln|prune|audit|shrinkwrap|install-ci-test|approve-scripts|query_)$/;
const asking =
  /^(view|v|info|show|outdated|search|s|se|find|ping|whoami|owner|dist-tag|access|team|profile|token|stars|star|unstar|hook|org|deprecate|unpublish|login|adduser|logout|trust|undeprecate)$/;
const listing =
  /^(ls|list|la|ll|explain|why|fund|root|prefix|bin|help|help-search|docs|home|bugs|issues|repo|doctor|sbom|query|pkg_get|completion)$/;
const scripts = /^(test|t|tst|run|run-script|rum|urn|start|stop|restart)$/;

function npm(call: Call): void {
  const parsed = parseOptions(call.args, table, "exact");
  applyOptions(parsed, call);
  const folder = valueOf(parsed, "-C") ?? literal(".");
  const verb = verbOf(parsed.operands[0]);
  const { out } = call;
  const packageCode = (): void => out.opaque("npm: package scripts may do more");
  if (verb === "") return;
  if (verb === "audit" && textOf(parsed.operands[1]) !== "fix") {
    out.readTree(folder);
    out.reach("*", 443);
  } else if (installing.test(verb)) {
    if (!has(parsed, "-g")) out.writeTree(folder);
    out.writeTree(inFolder(literal(out.home), literal(".npm")));
    out.reach("*", 443);
    packageCode();
  } else if (verb === "pack" || verb === "publish") {
    out.readTree(folder);
    if (verb === "pack") out.writeTree(valueOf(parsed, "--pack-destination") ?? literal("."));
    else out.reach("*", 443);
    packageCode();
  } else if (scripts.test(verb)) runScript(call, parsed, folder);
  else if (/^(init|create|innit)$/.test(verb) && parsed.operands.length === 1)
    out.write(inFolder(folder, literal("package.json")));
  else if (verb === "version" && parsed.operands.length > 1) {
    for (const name of ["package.json", "package-lock.json"]) out.write(inFolder(folder, literal(name)));
    out.writeTree(inFolder(folder, literal(".git")));
    packageCode();
  } else if (verb === "pkg") {
    if (textOf(parsed.operands[1]) === "get") out.read(inFolder(folder, literal("package.json")));
    else out.write(inFolder(folder, literal("package.json")));
  } else if (/^(config|c|set|get|cache)$/.test(verb)) configure(parsed, verb, out);
  else if (listing.test(verb) || verb === "version") out.readTree(folder);
  else {
    if (asking.test(verb)) out.reach("*", 443);
    out.opaque(`npm ${verb} runs package code or acts on an account`);
  }
}

/** A script of the project's package file. The bare forms are on the read-only list; anything more reaches the script or its shell. */
function runScript({ out, args }: Call, parsed: ParsedOptions, folder: Word): void {
  out.readTree(folder);
  const bare =
    args.length === parsed.operands.length &&
    parsed.operands.length <= (textOf(args[0])?.startsWith("run") === true ? 2 : 1);
  if (!bare || !/^(test|run)$/.test(textOf(args[0]) ?? ""))
    out.opaque("npm: a script gets further words or another place");
}

function configure(parsed: ParsedOptions, verb: string, out: Call["out"]): void {
  const home = literal(out.home);
  if (verb === "cache") {
    out.writeTree(inFolder(home, literal(".npm")));
    return;
  }
  const second = verb === "set" ? "set" : verb === "get" ? "get" : (textOf(parsed.operands[1]) ?? "list");
  if (/^(get|list|ls)$/.test(second)) return;
  out.write(inFolder(home, literal(".npmrc")));
  out.opaque("npm config changes what later commands run or obey", "environment");
}

/** Other managers of the same packages: what they install may run code, so only the folders are sure. */
function manager(caches: readonly string[]): Program {
  return {
    run(call) {
      const parsed = parseOptions(call.args, managerTable, "exact");
      applyOptions(parsed, call);
      const { out, name } = call;
      const folder = valueOf(parsed, "-C", "--cwd", "--prefix") ?? literal(".");
      const verb = parsed.operands.length === 0 ? "install" : verbOf(parsed.operands[0]);
      if (/^(why|list|ls|outdated|info|view|licenses|bin|root|prefix|config|audit|help|la|ll)$/.test(verb)) {
        out.readTree(folder);
        if (verb === "config") out.opaque(`${name} config may change what later commands run`, "environment");
        return;
      }
      if (
        /^(install|i|add|remove|rm|uninstall|un|update|up|upgrade|ci|link|unlink|dedupe|prune|import|rebuild|patch|init|create)$/.test(
          verb,
        )
      ) {
        out.writeTree(folder);
        for (const cache of caches) out.writeTree(inFolder(literal(out.home), literal(cache)));
        out.reach("*", 443);
      } else out.readTree(folder);
      out.opaque(`${name}: package code may do more`);
    },
  };
}

const managerTable =
  optionTable(`-C,--dir=. --cwd=. --prefix=. --filter=. -F=. --registry=. --cache-folder=W --store-dir=W --modules-folder=W --userconfig=o
    --use-yarnrc=o --script-shell=x -w,--workspace-root -D,--dev,--save-dev -P,--prod,--production -O -E,--exact -g,--global -r,--recursive
    -s,--silent -f,--force -h -v -y,--yes -W --frozen-lockfile --no-frozen-lockfile --immutable --immutable-cache --offline --prefer-offline
    --ignore-scripts --no-optional --optional --json --verbose --non-interactive --no-lockfile --pure-lockfile --check-files --lockfile-only
    --shamefully-hoist --strict-peer-dependencies --if-present --parallel --stream --color --no-color --no-save --save-exact --mode=. --bail
    --latest --interactive -i -L --depth=.`);

/** npm and its relatives. */
export const npms: Family = [
  ["npm", { run: npm }],
  ["pnpm", manager([".local/share/pnpm", ".cache/pnpm"])],
  ["yarn yarnpkg", manager([".cache/yarn", ".yarn"])],
  ["bun", manager([".bun"])],
];
