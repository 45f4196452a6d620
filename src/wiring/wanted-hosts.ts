import type { Permissions } from "../config/permissions.ts";
import type { WantedHosts } from "../egress/intercepting/interception.ts";
import type { SessionId } from "../model/ids.ts";
import type { Rule } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import { addressedHosts } from "../policy/rules/addressed-hosts.ts";

const nothing: WantedHosts = { none: true, covers: () => false };

/**
 * Of which hosts the rules of a session want to see paths: those in files and the session's own. A list of rules is read once, for it stays the same list until it changes.
 * `sessionOf` throws for a session that is not open, which has no rules.
 */
export function wantedHosts(
  permissions: Pick<Permissions, "rules">,
  sessionOf: (id: SessionId) => Session,
): (id: SessionId) => WantedHosts {
  const read = new WeakMap<readonly Rule[], WantedHosts>();
  const of = (rules: readonly Rule[]): WantedHosts => {
    const known = read.get(rules) ?? addressedHosts(rules);
    read.set(rules, known);
    return known;
  };
  return (id) => {
    const session = openSession(id, sessionOf);
    if (session === undefined) return nothing;
    const parts = [of(permissions.rules(session.workspace, session.subject.agent)), of(session.rules)];
    return {
      none: parts.every(({ none }) => none),
      covers: (host, port) => parts.some((part) => part.covers(host, port)),
    };
  };
}

function openSession(id: SessionId, sessionOf: (id: SessionId) => Session): Session | undefined {
  try {
    return sessionOf(id);
  } catch {
    return undefined;
  }
}
