import { chmodSync, lstatSync, mkdirSync, existsSync, realpathSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { type AbsolutePath, parentOf, parseAbsolutePath, resolvePath } from "../model/absolute-path.ts";
import { invalid, Problem } from "../model/problem.ts";
import { type ConfigPaths, configPaths } from "../config/config-paths.ts";
import { loadSecrets } from "../config/load-secrets.ts";
import { loadSettings, type Settings } from "../config/load-settings.ts";

/** Where everything of one Sallyport lies. */
export interface Places {
  readonly home: AbsolutePath;
  readonly config: ConfigPaths;
  readonly settings: Settings;
  /** Secrets of the `.env`, by name. Values go to the redactor and to the proxy, nowhere else. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly state: AbsolutePath;
  readonly socket: AbsolutePath;
  /** The socket's folder; one-shot sockets of sandboxes lie in it, too. */
  readonly runtime: AbsolutePath;
}

/** The bot's token in the `.env`. */
export const telegramToken = "TELEGRAM_BOT_TOKEN";
/** What signs between Sallyport and the program of the webhook, in the `.env`. */
export const webhookSecret = "SALLYPORT_WEBHOOK_SECRET";

/** What the command line may set over the settings. */
export interface PlaceOptions {
  readonly socket?: string;
}

/**
 * Finds and makes the folders, private to their owner.
 * @throws Problem `failed_precondition` where one cannot be made or belongs to somebody else; ConfigProblem for bad settings.
 */
export function findPlaces(env: NodeJS.ProcessEnv, options: PlaceOptions): Places {
  const home = parseAbsolutePath(homedir());
  if (home === undefined) throw new Problem("failed_precondition", "HOME: must be an absolute path");
  const folder = madeReal(configPaths({ home, env }).folder);
  const config = configPaths({ home, env: { ...env, SALLYPORT_CONFIG_DIR: folder } });
  const settings = loadSettings(config, home);
  const secrets = loadSecrets(config, [
    ...settings.egressCredentials.map(({ secret }) => secret),
    ...(settings.egressProxyLogin === undefined ? [] : [settings.egressProxyLogin]),
    ...(settings.telegram === undefined ? [] : [telegramToken]),
    ...(settings.webhook === undefined ? [] : [webhookSecret]),
  ]);
  const state = madeReal(settings.state);
  const socket = socketPath(env, options.socket) ?? settings.socket ?? defaultSocket(env);
  return { home, config, settings, secrets, state, socket, runtime: madeReal(parentOf(socket)) };
}

function socketPath(env: NodeJS.ProcessEnv, option: string | undefined): AbsolutePath | undefined {
  const text = option ?? env["SALLYPORT_SOCKET"];
  if (text === undefined || text === "") return undefined;
  const path = resolvePath(parseAbsolutePath(process.cwd()) ?? parentOf(defaultSocket(env)), text);
  if (path === undefined) throw invalid("socket", "is no usable path");
  return path;
}

/** `$XDG_RUNTIME_DIR/sallyport`, else `/run/user/UID/sallyport` where that runtime folder exists, else `/tmp/sallyport-UID`: the place where clients look. */
function defaultSocket(env: NodeJS.ProcessEnv): AbsolutePath {
  const { uid } = userInfo();
  const named = parseAbsolutePath(env["XDG_RUNTIME_DIR"] ?? "");
  const system = `/run/user/${uid}`;
  const folder =
    named !== undefined
      ? `${named}/sallyport`
      : existsSync(system)
        ? `${system}/sallyport`
        : `${tmpdir()}/sallyport-${uid}`;
  const socket = parseAbsolutePath(`${folder}/sallyport.sock`);
  if (socket === undefined) throw invalid("XDG_RUNTIME_DIR", "is no usable path");
  return socket;
}

/**
 * Makes a private folder; returns its real path. A link on the way may lie in a workspace, and whoever writes there could point it elsewhere
 * later: at rules of his own, for one.
 */
function madeReal(folder: AbsolutePath): AbsolutePath {
  makePrivate(folder);
  const real = parseAbsolutePath(realpathSync(folder));
  if (real === undefined) throw new Problem("failed_precondition", `${folder}: its real path is no usable path`);
  return real;
}

/** Makes a folder with mode 0700, or takes an own one and takes the others' rights away. */
function makePrivate(folder: AbsolutePath): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) throw new Problem("failed_precondition", `${folder} is no folder`);
    if (stats.uid !== userInfo().uid) throw new Problem("failed_precondition", `${folder} belongs to somebody else`);
    if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(
      "failed_precondition",
      `${folder}: ${cause instanceof Error ? cause.message : "cannot be made"}`,
      { cause },
    );
  }
}
