import { type AbsolutePath, isInside } from "../model/absolute-path.ts";
import type { GuardedPlace } from "../model/runtime.ts";
import type { Scope } from "../model/scope.ts";
import { type FoundProjects, guardedPlaces } from "../policy/guarded-places.ts";
import { findProjects } from "./find-projects.ts";

/** What commands must not change in these folders, for `SandboxSpec.guarded`. */
export type GuardedPlaces = (scopes: readonly Scope[]) => Promise<readonly GuardedPlace[]>;

/** A look is good for so long, in milliseconds; then the next command has another one made beside it. */
const freshMs = 30_000;

/** Lists of folders that are remembered. */
const mostRemembered = 64;

interface Look {
  readonly found: Promise<FoundProjects>;
  readonly at: number;
  /** Answers by all scopes: every command comes by here, and few have scopes of their own. */
  readonly answers: Map<string, readonly GuardedPlace[]>;
  renewing: boolean;
  /** What `found` resolved with. */
  result: FoundProjects | undefined;
}

/** Looks for projects once for each list of folders, and again from time to time: whatever a command makes itself is its own, but people clone repositories meanwhile. */
export function createGuardedPlaces(homes: readonly AbsolutePath[], now: () => number = Date.now): GuardedPlaces {
  const looks = new Map<string, Look>();

  /** What was found in these folders before, for whichever list of folders: a command could bury a repository under so many folders that the next look does not come to it. */
  function known(roots: readonly AbsolutePath[]): FoundProjects {
    const all = Array.from(looks.values(), ({ result }) => result).filter((result) => result !== undefined);
    const within = (path: AbsolutePath): boolean => roots.some((root) => isInside(root, path));
    return {
      projects: [],
      gitFolders: all.flatMap(({ gitFolders }) => gitFolders).filter(within),
      gitFiles: all.flatMap(({ gitFiles }) => gitFiles).filter(within),
      homes: [],
    };
  }

  function remember(key: string, found: Promise<FoundProjects>): Look {
    const look: Look = { found, at: now(), answers: new Map(), renewing: false, result: undefined };
    void found.then((result) => void (look.result = result));
    looks.delete(key);
    looks.set(key, look);
    for (const [oldest] of looks) if (looks.size > mostRemembered) looks.delete(oldest);
    return look;
  }

  return async (scopes) => {
    const roots = scopes.filter(({ access, lasts }) => access === "rw" && lasts !== "once").map(({ root }) => root);
    const key = JSON.stringify(roots.toSorted());
    const look = looks.get(key) ?? remember(key, findProjects(roots, homes, known(roots)));
    if (!look.renewing && now() - look.at > freshMs) {
      look.renewing = true;
      void findProjects(roots, homes, known(roots)).then((found) => remember(key, Promise.resolve(found)));
    }
    const found = await look.found;
    const wish = JSON.stringify(scopes.map(({ root, access }) => `${access}:${root}`));
    const places = look.answers.get(wish) ?? guardedPlaces(found, scopes);
    if (look.answers.size < mostRemembered) look.answers.set(wish, places);
    return places;
  };
}
