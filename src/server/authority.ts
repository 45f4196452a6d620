import { Problem } from "../model/problem.ts";
import type { Caller } from "../model/subject.ts";

/** @throws Problem `permission_denied` unless the caller is an admin, and no agent with one's token. */
export function requireAdmin(caller: Caller, what: string): void {
  if (!isAdmin(caller)) throw new Problem("permission_denied", `${what} needs an admin`);
}

/** True for a person or program with the owner's rights. An agent's credential never has them, whatever role it was given. */
export function isAdmin(caller: Caller): boolean {
  return caller.role === "admin" && !caller.isAgent;
}
