/** Options of git-commit(1). */
export const commitOptions = `-a,--all -p,--patch -C,--reuse-message=. -c,--reedit-message=. --fixup=. --squash=. --reset-author --interactive --ahead-behind
  --no-ahead-behind --short --branch --porcelain --long -z,--null -F,--file=r --author=. --date=. -m,--message=. -t,--template=r
  -s,--signoff --no-signoff --trailer=. -n,--no-verify --verify --allow-empty --allow-empty-message --cleanup=. -e,--edit --no-edit --amend
  --no-post-rewrite -i,--include -o,--only --pathspec-from-file=o --pathspec-file-nul -u,--untracked-files=?. -v,--verbose -q,--quiet
  --dry-run --status --no-status -S,--gpg-sign=?. --no-gpg-sign`;

/** Options of the commands that may change any file of the working tree; only those with a meaning for paths or programs are told apart. */
export const anyTree = `-b=. -B=. -c=. -C=. -f,--force,--discard-changes -q,--quiet -t,--track=?. -d,--detach -l -m,--message,--merge=?. -p,--patch
  -n,--no-commit,--no-stat -e,--edit,--no-edit -s,--strategy=. -X,--strategy-option=. -x,--exec=x -i,--interactive! -r,--rebase=?.
  -S,--gpg-sign=?. -F,--file=r -u -v,--verbose -k,--keep-index -a,--all -N --create=. --force-create=. --orphan=. --onto=. --root --hard
  --soft --mixed --keep --abort --continue --skip --quit --ff --no-ff --ff-only --squash --no-squash --stat --log=?. --no-log --signoff
  --no-signoff --no-track --guess --no-guess --ours --theirs --conflict=. --pathspec-from-file=o --pathspec-file-nul -# --overlay
  --no-overlay --ignore-skip-worktree-bits --refresh --no-refresh --intent-to-add --summary --verify-signatures --no-verify-signatures
  --keep-base --ignore-whitespace --force-rebase --no-ff-rebase --edit-todo --show-current-patch=?. --reschedule-failed-exec
  --no-reschedule-failed-exec --reference --trivial --aggressive --exclude-per-directory=r --index-output=w --dry-run --no-sparse-checkout
  --debug-unpack -z --no-create --overwrite-ignore --ignore-other-worktrees --recurse-submodules=?. --no-recurse-submodules --autostash
  --no-autostash --autosquash --no-autosquash --rebase-merges=?. --update-refs --committer-date-is-author-date --reset-author-date
  --no-verify --verify --allow-unrelated-histories --allow-empty --keep-empty --empty=. --keep-redundant-commits --mainline=. --cleanup=.
  --include-untracked --index --staged --no-keep-index --progress --no-progress --into-name=. --rerere-autoupdate --no-rerere-autoupdate
  --reapply-cherry-picks --fork-point --no-fork-point --apply --3way --directory=. --exclude=. --include=. --whitespace=. --patch-format=.
  --resolvemsg=. --scissors --no-scissors --quoted-cr=. --cone --no-cone --stdin --term-old=. --term-new=. --first-parent --prefix=. --temp
  --no-checkout --allow-empty-message --quit`;

/** Options of git-add(1). */
export const addOptions = `-n,--dry-run -v,--verbose -f,--force -i,--interactive -p,--patch -e,--edit! -A,--all,--no-ignore-removal -u,--update
  --no-all,--ignore-removal -N,--intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --chmod=. --pathspec-from-file=o
  --pathspec-file-nul --sparse`;

/** Options of git-apply(1). */
export const applyOptions = `-v,--verbose -q,--quiet -R,--reverse -3,--3way -p=. -C=. -N,--intent-to-add -z --stat --numstat --summary --check --index --cached --apply
  --reject --unidiff-zero --no-add --allow-binary-replacement,--binary --exclude=. --include=. --ignore-space-change,--ignore-whitespace
  --whitespace=. --inaccurate-eof --recount --directory=. --unsafe-paths --allow-empty --build-fake-ancestor=w --allow-overlap
  --no-allow-overlap --ours --theirs --union`;

/** Options of git-branch(1) and git-tag(1). */
export const refOptions = `-a,--all,--annotate -d,--delete -D -m,--move,--message=?. -M -c,--copy -C -f,--force -l,--list -r,--remotes -v,--verbose -q,--quiet
  -t,--track=?. -u,--set-upstream-to,--local-user=. -s,--sign -n=?. -F,--file=r -e,--edit --unset-upstream --show-current --contains=?.
  --no-contains=?. --merged=?. --no-merged=?. --points-at=. --sort=. --format=. --color=?. --no-color --column=?. --no-column --abbrev=?.
  --no-abbrev --edit-description --no-track --create-reflog --cleanup=. --trailer=. -i,--ignore-case --omit-empty --verify!
  --recurse-submodules`;

/** Options of git-format-patch(1). */
export const formatPatchOptions = `-o,--output-directory=. --output=w --stdout -n,--numbered -N,--no-numbered -k -s,--signoff -v,--reroll-count=. -# --start-number=.
  --numbered-files --suffix=. --subject-prefix=. --rfc=?. --cover-letter --thread=?. --no-thread --attach=?. --inline=?. --in-reply-to=.
  --to=. --cc=. --from=?. --signature=. --signature-file=r --base=. --root --zero-commit --no-signature --stat -p -q,--quiet
  --cover-from-description=. --description-file=r --filename-max-length=. --keep-subject --no-binary --ignore-if-in-upstream --no-stat
  --add-header=. --progress --force-in-body-from --interdiff=. --range-diff=. --creation-factor=. -M -C`;

/** Options of git-worktree(1). */
export const worktreeOptions = `-f,--force -d,--detach -b=. -B=. -q,--quiet --checkout --no-checkout --lock --reason=. --orphan --guess-remote --no-guess-remote --track
  --no-track --porcelain -z -n,--dry-run --expire=. -v,--verbose --relative-paths`;

/** Options of git-restore(1). */
export const restoreOptions = `-s,--source=. -p,--patch -W,--worktree -S,--staged -q,--quiet --progress --no-progress --ours --theirs -m,--merge --conflict=. -#
  --ignore-unmerged --ignore-skip-worktree-bits --recurse-submodules --overlay --no-overlay --pathspec-from-file=o --pathspec-file-nul`;

/** Options of commands that only change refs, objects or the index. */
export const plumbingOptions = `-m,--message=. -F,--file=r -w -t=. -p=. -d,--delete -f,--force -q,--quiet --stdin --add --remove --cacheinfo=. --chmod=. --refresh --again
  -a,--all --no-deref --create-reflog -S,--gpg-sign=?. --path=. --literally --no-filters --assume-unchanged --no-assume-unchanged
  --skip-worktree --no-skip-worktree --index-info --really-refresh --force-remove --prune --ref=. -c=. -C=. --short --ignore-submodules
  --replace --unmerged --ignore-skip-worktree-entries --info-only -z --unresolve -g --ignore-missing --verbose --clear-resolve-undo
  --index-version=. --split-index --untracked-cache --test-untracked-cache --force-untracked-cache --force-write-index --no-split-index
  --no-untracked-cache`;

/** Options of git-am(1). */
export const amOptions = `-3,--3way -q,--quiet -s,--signoff -u,--utf8 --no-utf8 -k,--keep -b,--keep-non-patch -m,--message-id --no-message-id --keep-cr --no-keep-cr
  -c,--scissors --no-scissors --quoted-cr=. -i,--interactive --committer-date-is-author-date --ignore-date --skip --continue --abort --quit
  -r,--resolved --show-current-patch=?. --whitespace=. --ignore-space-change --ignore-whitespace -C=. -p=. --directory=. --exclude=.
  --include=. --reject -S,--gpg-sign=?. --patch-format=. --resolvemsg=. -n,--no-verify --allow-empty --empty=. --rerere-autoupdate
  --no-rerere-autoupdate`;

/** Options of git-cherry-pick(1) and git-revert(1). */
export const pickOptions = `-e,--edit --no-edit -x -r -m,--mainline=. -n,--no-commit -s,--signoff -S,--gpg-sign=?. --no-gpg-sign --ff --allow-empty
  --allow-empty-message --keep-redundant-commits --empty=. --strategy=. -X,--strategy-option=. --continue --skip --abort --quit
  --rerere-autoupdate --no-rerere-autoupdate --cleanup=. --reference`;
