/** Which invariant asks for it. */
export type GuardedKind = "hooks" | "agents" | "editors" | "shells";

/** A name that something outside the sandbox runs or obeys, below a project's folder, a repository's own folder, or a home. */
export interface GuardedName {
  readonly kind: GuardedKind;
  /** One or more components, with `/` between them. Lower case: names are compared without case. */
  readonly name: string;
  /** True where its name is kept from commands also while nothing is there. False for what would be in everybody's way: it is guarded where it exists. */
  readonly hold: boolean;
}

/** In a project's folder: the root of a granted folder, and wherever a repository is. */
export const projectNames: readonly GuardedName[] = [
  ...named("hooks", true, ".githooks .husky"),
  ...named("hooks", false, ".pre-commit-config.yaml .pre-commit-config.yml"),
  ...named("hooks", false, lefthooks().join(" ")),
  ...named("agents", true, ".claude .codex .cursor .gemini .agents .mcp.json"),
  ...named("agents", false, ".kiro .agent .windsurf .continue .roo .cline .aider .opencode .goose .sallyport"),
  ...named("agents", false, "mcp.json .aider.conf.yml .cursorrules .windsurfrules .clinerules .goosehints"),
  ...named("editors", true, ".vscode .idea .envrc .devcontainer"),
  ...named("editors", false, ".devcontainer.json"),
];

/**
 * In the folder where git keeps a repository (gitrepository-layout(5)), a submodule's or a linked worktree's. `commondir` would make git obey another folder's
 * configuration; where it does not belong, no folder can keep its name, for git would not work with that.
 */
export const gitNames: readonly GuardedName[] = [
  ...named("hooks", true, "hooks info"),
  ...named("hooks", false, "config config.worktree commondir"),
];

/** In a home: what shells, git and sessions run when somebody logs in. */
export const homeNames: readonly GuardedName[] = [
  ...named("shells", true, ".bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin .gitconfig"),
  ...named("shells", false, ".bash_logout .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .xsession"),
  ...named("shells", false, ".config/fish .config/git .config/autostart .config/systemd .ssh"),
];

function named(kind: GuardedKind, hold: boolean, names: string): GuardedName[] {
  return names.split(" ").map((name) => ({ kind, name, hold }));
}

function lefthooks(): string[] {
  const ends = ["yml", "yaml", "toml", "json"];
  return ["", "."].flatMap((dot) =>
    ["", "-local"].flatMap((local) => ends.map((end) => `${dot}lefthook${local}.${end}`)),
  );
}
