import type { SessionId } from "../../model/ids.ts";
import type { Authority } from "../proxying/authority.ts";
import { type Credential, type CredentialUse, isFor, sameAuthority } from "./credential.ts";
import { createSessionAuthority, type SessionAuthority } from "./session-authority.ts";

/** What is looked into, and what is added there. */
export interface InterceptionOptions {
  /** Hosts whose TLS ends at the proxy so that rules see methods and paths. Those of credentials come by themselves. */
  readonly hosts: readonly Authority[];
  readonly credentials: readonly Credential[];
}

/** TLS that ends at the proxy: for which hosts, with whose certificates, and with what credentials. */
export interface Interception {
  readonly credentials: readonly Credential[];
  /** True where tunnels to this host are looked into. */
  covers(authority: Authority): boolean;
  /** The session's own authority, made at the first call. */
  authorityOf(session: SessionId): Promise<SessionAuthority>;
  /** Forgets the key of a session that ended. */
  forget(session: SessionId): void;
  /** Sorts the credentials by a request: those that are for it, and those that are not. */
  sort(use: CredentialUse): { readonly own: readonly Credential[]; readonly strange: readonly Credential[] };
}

/** Undefined where nothing is to be looked into: then no authority is ever made. */
export function createInterception({ hosts, credentials }: InterceptionOptions): Interception | undefined {
  const covered = [...hosts, ...credentials.map(({ authority }) => authority)];
  if (covered.length === 0) return undefined;
  const authorities = new Map<SessionId, Promise<SessionAuthority>>();
  return {
    credentials,
    covers: (authority) => covered.some((each) => sameAuthority(each, authority)),
    authorityOf(session) {
      const made = authorities.get(session) ?? createSessionAuthority();
      authorities.set(session, made);
      return made;
    },
    forget: (session) => void authorities.delete(session),
    sort(use) {
      const own = credentials.filter((credential) => isFor(credential, use));
      // One variable may serve several hosts: its placeholder is strange to none of them.
      const known = new Set(own.map(({ placeholder }) => placeholder));
      return { own, strange: credentials.filter(({ placeholder }) => !known.has(placeholder)) };
    },
  };
}
