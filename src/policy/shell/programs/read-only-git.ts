/** Options that only change what git status, diff and log print. A value is glued to its name or is a number behind the letter. */
const shared = `-p -u --patch -s --no-patch --raw --patch-with-raw --patch-with-stat --stat --numstat --shortstat --compact-summary --summary --dirstat
  --cumulative --name-only --name-status --no-color --color --color-words --word-diff --minimal --patience --histogram --indent-heuristic
  --no-indent-heuristic --anchored --no-renames --rename-empty --no-rename-empty --check --full-index --binary --abbrev --no-abbrev
  --abbrev-commit --no-abbrev-commit --find-renames --find-copies --find-copies-harder --break-rewrites --irreversible-delete -R --relative
  --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -W
  --function-context --exit-code --quiet -q --ita-invisible-in-index --ita-visible-in-index --ignore-submodules -z --src-prefix
  --dst-prefix --no-prefix --default-prefix --line-prefix --inter-hunk-context --unified --diff-algorithm --diff-filter --color-moved
  --no-color-moved --color-moved-ws --no-color-moved-ws --word-diff-regex --ws-error-highlight --output-indicator-new --output-indicator-old
  --output-indicator-context --no-ext-diff --no-textconv --pickaxe-all --pickaxe-regex --find-object --skip-to --rotate-to --max-depth`;

const status = `-s --short -b --branch -sb -bs --show-stash --porcelain --long -v --verbose -vv -u --untracked-files -uno -unormal -uall
  --ignore-submodules --ignored --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames -z`;

const diff = `--cached --staged --merge-base --cc --combined-all-paths --base --ours --theirs -0 -1 -2 -3`;

const log = `--oneline --graph --all --branches --tags --remotes --glob --exclude --decorate --no-decorate --decorate-refs --decorate-refs-exclude
  --clear-decorations --source --mailmap --no-mailmap --use-mailmap --log-size --follow --full-diff --max-count --skip --since --after
  --until --before --since-as-filter --author --committer --grep-reflog --grep --all-match --invert-grep -i --regexp-ignore-case
  --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --merges --no-merges --min-parents --max-parents
  --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --left-right --left-only --right-only --cherry
  --cherry-mark --cherry-pick -g --walk-reflogs --merge --boundary --simplify-by-decoration --full-history --dense --sparse
  --simplify-merges --ancestry-path --show-pulls --date-order --author-date-order --topo-order --reverse --no-walk --do-walk --pretty
  --format --encoding --expand-tabs --no-expand-tabs --notes --no-notes --show-notes --relative-date --date --parents --children
  --show-linear-break -c --cc -m --diff-merges --no-diff-merges --combined-all-paths --remerge-diff -t --name-only`;

const tables: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["status", words(status)],
  ["diff", words(`${shared} ${diff}`)],
  ["log", words(`${shared} ${log}`)],
]);

/** Short options with a number, a percentage or a pattern glued to them: -5, -n3, -U0, -M90%, -Stext. */
const glued: ReadonlyMap<string, RegExp> = new Map([
  ["status", /^-M\d*%?$/],
  ["diff", /^-(U\d+|[MCB]\d*%?(\/\d+%?)?|[SG].+|D|l\d+|X[a-z0-9,.]*|\d+)$/],
  ["log", /^-(U\d+|[MCB]\d*%?(\/\d+%?)?|[SG].+|D|l\d+|X[a-z0-9,.]*|\d+|n\d*|L.+)$/],
]);

/** Options whose value may also be the next word. Listed apart, so that the word is not taken for an option. */
const takesNext =
  /^(-n|-S|-G|-L|-U|-l|--(since|after|until|before|author|committer|grep|max-count|skip|format|pretty|date|diff-filter|diff-algorithm|unified|glob|exclude|decorate-refs|decorate-refs-exclude|encoding|word-diff-regex|src-prefix|dst-prefix|line-prefix|inter-hunk-context|find-object|stat-width|min-parents|max-parents))$/;

/** Letters of status and log that may be joined, such as `-sb` and `-pw`. */
const joined: ReadonlyMap<string, RegExp> = new Map([
  ["status", /^-[sbvz]+$/],
  ["diff", /^-[pusRabwWqz]+$/],
  ["log", /^-[pusRabwWqzicmtgEFP]+$/],
]);

/**
 * True for `git status|diff|log` with options that only change what is printed (design, section 5). The options are an allow-list: what is
 * not known asks. `%G` in a format starts the configured signature checker.
 */
export function isReadOnlyGit(args: readonly string[]): boolean {
  const rest = [...args];
  while (/^(--no-pager|--no-optional-locks|-P)$/.test(rest[0] ?? "")) rest.shift();
  const verb = rest.shift() ?? "";
  const known = tables.get(verb);
  if (known === undefined) return false;
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? "";
    if (word === "--") return true;
    if (!word.startsWith("-") || word === "-") continue;
    const name = word.startsWith("--") ? word.replace(/=.*$/s, "") : word;
    const fits =
      known.has(name) ||
      takesNext.test(name) ||
      glued.get(verb)?.test(word) === true ||
      joined.get(verb)?.test(word) === true;
    if (!fits || (verb === "status" && takesNext.test(name) && !known.has(name))) return false;
    if (takesNext.test(word)) index += 1;
    if (/^--(format|pretty)$/.test(name) && /%G/.test(`${word} ${rest[index] ?? ""}`)) return false;
  }
  return true;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
