import type { Hold } from "../model/runtime.ts";

/** Which invariant asks for it. */
export type GuardedKind = "hooks" | "agents" | "editors" | "shells";

/** A name that something outside the sandbox runs or obeys, below a project's folder, a repository's own folder, or a home. */
export interface GuardedName {
  readonly kind: GuardedKind;
  /** One or more components, with `/` between them. Lower case: names are compared without case. */
  readonly name: string;
  /** What keeps its name from commands while nothing is there. Undefined for what would be in everybody's way: it is guarded where it exists. */
  readonly hold: Hold | undefined;
}

/** A project's tools take it for nothing, and git does not see it. */
const folder: Hold = { kind: "folder" };
/** A shell or git outside would stop at a folder of this name; an empty file says nothing to them. */
const file: Hold = { kind: "file", content: "" };
/** bash reads the first of `.bash_profile`, `.bash_login` and `.profile` that is there (bash(1), INVOCATION): what takes the first name hands on to the others. */
const bashProfile: Hold = {
  kind: "file",
  content:
    "# Sallyport keeps this name from commands in sandboxes while one lives.\nif [ -s ~/.bash_login ]; then . ~/.bash_login; elif [ -r ~/.profile ]; then . ~/.profile; fi\n",
};

/** In a project's folder: the root of a granted folder, and wherever a repository is. */
export const projectNames: readonly GuardedName[] = [
  ...named("hooks", folder, ".githooks .husky"),
  ...named("hooks", undefined, ".pre-commit-config.yaml .pre-commit-config.yml"),
  ...named("hooks", undefined, lefthooks().join(" ")),
  ...named("agents", folder, ".claude .codex .cursor .gemini .agents .mcp.json"),
  ...named("agents", undefined, ".kiro .agent .windsurf .continue .roo .cline .aider .opencode .goose .sallyport"),
  ...named("agents", undefined, "mcp.json .aider.conf.yml .cursorrules .windsurfrules .clinerules .goosehints"),
  ...named(
    "agents",
    undefined,
    ".amazonq .augment .crush.json .factory .junie .kilocode .qwen .trae crush.json opencode.json opencode.jsonc",
  ),
  ...named("editors", folder, ".vscode .idea .envrc .devcontainer .zed"),
  // mise(1) trusts a file by its path, not by what it says, and runs it whenever a shell enters the folder. vim(1) with 'exrc' asks for the owner alone.
  ...named(
    "editors",
    undefined,
    ".devcontainer.json mise.toml .mise.toml mise.local.toml .mise.local.toml .exrc .vimrc",
  ),
  // Mercurial and Jujutsu run programs that a repository's own configuration names, as git does. An empty one says nothing; without the repository there is no place for it.
  ...named("hooks", file, ".hg/hgrc .hg/hgrc-not-shared .jj/repo/config.toml .jj/workspace-config.toml"),
  ...named("hooks", undefined, ".hg/requires .hg/sharedpath"),
];

/**
 * In the folder where git keeps a repository (gitrepository-layout(5)), a submodule's or a linked worktree's. `commondir` would make git obey another folder's
 * configuration; where it does not belong, no folder can keep its name, for git would not work with that.
 */
export const gitNames: readonly GuardedName[] = [
  ...named("hooks", folder, "hooks info"),
  // git reads it where extensions.worktreeConfig is set, and an empty one says nothing.
  ...named("hooks", file, "config.worktree"),
  ...named("hooks", undefined, "config commondir"),
];

/** In a home: what shells, git and sessions run when somebody logs in, what editors and terminals run when they start, and what tools run to sign in. */
export const homeNames: readonly GuardedName[] = [
  ...named("shells", file, ".bashrc .bash_login .profile .zshrc .zshenv .zprofile .zlogin .gitconfig"),
  ...named("shells", bashProfile, ".bash_profile"),
  ...named(
    "shells",
    undefined,
    ".bash_logout .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .xsession",
  ),
  ...named("shells", undefined, ".config/fish .config/git .config/autostart .config/systemd .ssh"),
  ...named("shells", undefined, ".local/bin .config/environment.d .local/share/applications .local/share/systemd"),
  ...named("shells", undefined, ".tmux.conf .config/tmux .screenrc .gdbinit .config/gdb .psqlrc .irbrc"),
  ...named("shells", undefined, ".docker/config.json .docker/cli-plugins .kube/config .aws/config .aws/credentials"),
  ...named("editors", undefined, ".vim .config/nvim .emacs .emacs.d .config/emacs"),
];

function named(kind: GuardedKind, hold: Hold | undefined, names: string): GuardedName[] {
  return names.split(" ").map((name) => ({ kind, name, hold }));
}

function lefthooks(): string[] {
  const ends = ["yml", "yaml", "toml", "json"];
  return ["", "."].flatMap((dot) =>
    ["", "-local"].flatMap((local) => ends.map((end) => `${dot}lefthook${local}.${end}`)),
  );
}
