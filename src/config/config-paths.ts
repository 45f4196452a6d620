import { createHash } from "node:crypto";
import { type AbsolutePath, parseAbsolutePath, resolvePath } from "../model/absolute-path.ts";
import type { AgentId } from "../model/ids.ts";
import { invalid } from "../model/problem.ts";

/** Where configuration lies. All of it is outside every workspace. */
export interface ConfigPaths {
  /** `~/.config/sallyport`: Sallyport's own, written by nobody else. */
  readonly folder: AbsolutePath;
  /** `sallyport.yaml` in it. */
  readonly settings: AbsolutePath;
  /** `.env` in it: secrets, `NAME=value` lines, readable for their owner alone. */
  readonly secrets: AbsolutePath;
  /** The machine's rules: `permissions.yaml`, `permissions.yml` and `permissions.json` in `/etc/sallyport`, as many as there are. */
  readonly managed: readonly AbsolutePath[];
  /** `permissions.yaml` in the folder. */
  readonly user: AbsolutePath;
  /** Where state lies when the settings do not say: `~/.local/state/sallyport`. */
  readonly state: AbsolutePath;
  /** The permissions of one workspace, under a hash of its real root: a repository cannot bring any of its own. */
  readonly workspace: (root: AbsolutePath) => AbsolutePath;
  /** The permissions of one agent. */
  readonly agent: (name: AgentId) => AbsolutePath;
}

/** The environment that decides where configuration lies (XDG Base Directory). */
export interface ConfigSurroundings {
  readonly home: AbsolutePath;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the places. `SALLYPORT_CONFIG_DIR` and `SALLYPORT_MANAGED_DIR` name others.
 * @throws Problem `invalid_argument` where one of them is not absolute.
 */
export function configPaths({ home, env }: ConfigSurroundings): ConfigPaths {
  const folder =
    named(env, "SALLYPORT_CONFIG_DIR") ?? under(xdg(env, "XDG_CONFIG_HOME") ?? under(home, ".config"), "sallyport");
  const managedFolder = named(env, "SALLYPORT_MANAGED_DIR") ?? under(under(home, "/etc"), "sallyport");
  return {
    folder,
    settings: under(folder, "sallyport.yaml"),
    secrets: under(folder, ".env"),
    managed: ["yaml", "yml", "json"].map((ending) => under(managedFolder, `permissions.${ending}`)),
    user: under(folder, "permissions.yaml"),
    state: under(xdg(env, "XDG_STATE_HOME") ?? under(home, ".local/state"), "sallyport"),
    workspace: (root) => under(folder, `workspaces/${workspaceKey(root)}/permissions.yaml`),
    agent: (name) => under(folder, `agents/${name}/permissions.yaml`),
  };
}

/** The name of a workspace's folder: the first 32 hexadecimal digits of the SHA-256 of its real root. */
export function workspaceKey(root: AbsolutePath): string {
  return createHash("sha256").update(root).digest("hex").slice(0, 32);
}

function named(env: ConfigSurroundings["env"], name: string): AbsolutePath | undefined {
  const value = env[name];
  if (value === undefined || value === "") return undefined;
  const path = parseAbsolutePath(value);
  if (path === undefined) throw invalid(name, "must be an absolute path");
  return path;
}

/** Relative values are to be ignored, as that specification says. */
function xdg(env: ConfigSurroundings["env"], name: string): AbsolutePath | undefined {
  return parseAbsolutePath(env[name] ?? "");
}

function under(base: AbsolutePath, path: string): AbsolutePath {
  const found = resolvePath(base, path);
  if (found === undefined) throw invalid(path, "makes a path that is too long");
  return found;
}
