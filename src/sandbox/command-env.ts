import type { AbsolutePath } from "../model/absolute-path.ts";
import type { ExecAction } from "../model/action.ts";
import { invalid } from "../model/problem.ts";

const proxy = "http://127.0.0.1:3128";

/** For images that set no PATH of their own. */
const plainPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Switches off the programs that a repository's own configuration would run (git-config(1)): the read-only git commands run without
 * a question, so nothing in the repository may turn them into others. Not switched off, because git has no switch: `diff.external`
 * (an empty value makes every plain `git diff` fail), and the drivers that attributes name (textconv, filters). What those run has no
 * more rights than the command.
 */
const gitSwitches: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["log.showSignature", "false"],
  ["credential.helper", ""],
  // A branch made from another repository's would be noted in the configuration, which is guarded.
  ["branch.autoSetupMerge", "false"],
  // A repack would write for servers of static files, into a folder that is guarded.
  ["repack.updateServerInfo", "false"],
];

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The whole environment of a command: this list, what every command of its sandbox has, and what the judged action sets; nothing of the sidecar's own.
 * @throws Problem `invalid_argument` where a variable's name is none.
 */
export function commandEnv(
  action: Pick<ExecAction, "env" | "pty">,
  home: AbsolutePath,
  imagePath: string | undefined,
  always: Readonly<Record<string, string>> = {},
): string[] {
  const variables = new Map<string, string>([
    ["PATH", imagePath ?? plainPath],
    ["HOME", home],
    ["USER", "sallyport"],
    ["LOGNAME", "sallyport"],
    ["LANG", "C.UTF-8"],
    ["TERM", action.pty === undefined ? "dumb" : "xterm-256color"],
    ["TMPDIR", "/tmp"],
    ["PAGER", "cat"],
    ["GIT_PAGER", "cat"],
    ["GIT_OPTIONAL_LOCKS", "0"],
    ["GIT_TERMINAL_PROMPT", "0"],
    // Tools that look for news of themselves would make every session ask for the network.
    ["npm_config_update_notifier", "false"],
    ["NO_UPDATE_NOTIFIER", "1"],
    ["PIP_DISABLE_PIP_VERSION_CHECK", "1"],
    ["DO_NOT_TRACK", "1"],
    // Hooks are not run here, and their folder cannot be written: an install script that sets them up would fail.
    ["HUSKY", "0"],
    ["GIT_CONFIG_COUNT", String(gitSwitches.length)],
  ]);
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"])
    variables.set(name, proxy).set(name.toLowerCase(), proxy);
  variables.set("NO_PROXY", "").set("no_proxy", "");
  // Node's own fetch and http look at the variables above only where they are told to (Node 24 and later).
  variables.set("NODE_USE_ENV_PROXY", "1");
  for (const [index, [key, value]] of gitSwitches.entries())
    variables.set(`GIT_CONFIG_KEY_${index}`, key).set(`GIT_CONFIG_VALUE_${index}`, value);
  for (const [name, value] of Object.entries({ ...always, ...action.env })) {
    if (!variableName.test(name)) throw invalid("env", `${JSON.stringify(name)} is no variable name`);
    variables.set(name, value);
  }
  return Array.from(variables, ([name, value]) => `${name}=${value}`);
}
