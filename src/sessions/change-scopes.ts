import type { AbsolutePath } from "../model/absolute-path.ts";
import { invalid } from "../model/problem.ts";
import type { Scope } from "../model/scope.ts";
import type { Session } from "../model/session.ts";
import { isLive, liveScopes } from "./live-scopes.ts";
import { needsAdmin, type SessionChange } from "./session-draft.ts";
import { isWideningRemoval, isWideningScope } from "./widening.ts";

/** What a change is judged with. */
export interface ChangeWorld {
  /** True where the caller may widen. */
  readonly widen: boolean;
  readonly now: Date;
  /** What is granted always to the session's agent in its workspace. */
  readonly standing: readonly Scope[];
}

/** Folders after a change. */
export interface ChangedScopes {
  /** The session's own. */
  readonly own: readonly Scope[];
  /** To be granted always. */
  readonly grant: readonly Scope[];
  /** No longer granted always. */
  readonly revoke: readonly AbsolutePath[];
}

/** The workspace and further folders. */
const mostScopes = 33;

/**
 * A session's folders after a change; takings away come before additions. What is granted always is an admin's, also to take away: other sessions have it, too.
 * @throws Problem `invalid_argument` naming the field, `permission_denied` where it widens and may not.
 */
export function changedScopes(session: Session, change: SessionChange, world: ChangeWorld): ChangedScopes {
  const { widen, now } = world;
  let standing = world.standing;
  let own = session.scopes.filter((scope) => isLive(scope, now));
  const grant: Scope[] = [];
  const revoke: AbsolutePath[] = [];
  for (const root of change.removeScopes ?? []) {
    const seen = liveScopes(own, standing, now);
    if (root === session.workspace) throw invalid("remove_scopes", "the workspace stays");
    if (!seen.some((scope) => scope.root === root)) throw invalid("remove_scopes", `${root} is no granted folder`);
    const always = standing.some((scope) => scope.root === root);
    if (!widen && (always || isWideningRemoval(seen, root))) throw needsAdmin("remove_scopes", root);
    if (always) revoke.push(root);
    standing = standing.filter((scope) => scope.root !== root);
    own = own.filter((scope) => scope.root !== root);
  }
  for (const scope of change.addScopes ?? []) {
    const always = scope.lasts === "always";
    if (!widen && (always || isWideningScope(liveScopes(own, standing, now), scope)))
      throw needsAdmin("add_scopes", scope.root);
    checkScope("add_scopes", scope, session.workspace, now);
    if (always) {
      own = own.filter(({ root }) => root !== scope.root);
      grant.push(scope);
    } else own = withScope(own, scope);
  }
  if (own.length > mostScopes) throw invalid("add_scopes", `more than ${mostScopes} folders`);
  return { own, grant, revoke };
}

/** Puts a folder in the place of an own one; above it where it passes, so that the lasting one comes back: a folder that was read-only must not stay writable. */
function withScope(own: readonly Scope[], scope: Scope): Scope[] {
  const isSame = ({ root }: Scope): boolean => root === scope.root;
  if (isPassing(scope)) return [...own.filter((old) => !isSame(old) || !isPassing(old)), scope];
  const at = own.findIndex(isSame);
  if (at < 0) return [...own, scope];
  return [...own.slice(0, at), scope, ...own.slice(at).filter((old) => !isSame(old))];
}

function isPassing({ lasts, expiresAt }: Scope): boolean {
  return lasts === "once" || expiresAt !== undefined;
}

/** @throws Problem `invalid_argument` naming the field. */
export function checkScope(field: string, scope: Scope, workspace: AbsolutePath, now: Date): void {
  if (!isLive(scope, now)) throw invalid(field, `${scope.root} would have expired already`);
  if (scope.root !== workspace) return;
  if (scope.expiresAt !== undefined) throw invalid(field, "the workspace does not expire");
  if (scope.lasts !== "session") throw invalid(field, "the workspace lasts as long as the session");
}
