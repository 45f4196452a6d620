import { type AbsolutePath, isInside, parseAbsolutePath } from "../../model/absolute-path.ts";
import type { Scope } from "../../model/scope.ts";

/** What decides whether a place is too broad to be opened for a command. */
export interface BroadWorld {
  /** Homes of people. */
  readonly homes: readonly AbsolutePath[];
  /** The session's folders. */
  readonly scopes: readonly Scope[];
}

/**
 * The sandbox has these from its image or from its kernel: a command that names them means its own, and whoever could write to this machine's would own it.
 * What is granted there as a folder of the session is granted all the same.
 */
const systemTrees = parsed(
  `/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /run /sbin /sys /usr /var/cache /var/lib /var/run /var/spool /.sallyport`,
);

/** Where everything lies that has nothing to do with a request. */
const commonFolders = parsed(`/ /home /media /mnt /opt /root /srv /tmp /Users /var /var/log /var/tmp`);

/** The sandbox's own writable folder. */
export const sandboxTmp = "/tmp";

/** True for what a sandbox has itself: it is never this machine's that is meant. */
export function isSystemPlace(path: AbsolutePath): boolean {
  return systemTrees.some((tree) => isInside(tree, path));
}

/** Why a place is never opened as a whole by a rule, an answer or a mode; undefined where it may be. */
export function whyTooBroad(path: AbsolutePath, { homes, scopes }: BroadWorld): string | undefined {
  if (homes.includes(path)) return "it is a whole home";
  if (commonFolders.includes(path)) return "it holds far more than this";
  const home = homes.find((each) => isInside(path, each));
  if (home !== undefined) return `it holds the home ${home}`;
  const scope = scopes.find(({ root }) => isInside(path, root));
  if (scope !== undefined) return `it holds the granted folder ${scope.root}`;
  const tree = systemTrees.find((each) => isInside(path, each));
  return tree === undefined ? undefined : `it holds ${tree}`;
}

function parsed(list: string): readonly AbsolutePath[] {
  return list.split(" ").flatMap((text) => parseAbsolutePath(text) ?? []);
}
