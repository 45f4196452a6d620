import type { SessionId } from "../../model/ids.ts";
import type { Authority } from "../proxying/authority.ts";
import { type Credential, type CredentialUse, isFor, sameAuthority } from "./credential.ts";
import type { SortedCredentials } from "./sorted-credentials.ts";
import { createSessionAuthority, type SessionAuthority } from "./session-authority.ts";

/** What is looked into, and what is added there. */
export interface InterceptionOptions {
  /** Hosts whose TLS ends at the proxy so that rules see methods and paths, for every session. Those of credentials come by themselves. */
  readonly hosts: readonly Authority[];
  /** Of which hosts a session's rules want to see more than the host; undefined: of none. */
  readonly wanted?: (session: SessionId) => WantedHosts;
  readonly credentials: readonly Credential[];
}

/** Hosts of which a session's rules want to see methods and paths. */
export interface WantedHosts {
  readonly none: boolean;
  /** Takes a canonical host. */
  covers(host: string, port: number): boolean;
}

/** TLS that ends at the proxy: for which hosts, with whose certificates, and with what credentials. */
export interface Interception {
  readonly credentials: readonly Credential[];
  /** True where tunnels of this session to this host are looked into. */
  covers(session: SessionId, authority: Authority): boolean;
  /** False where nothing of this session can be looked into by now. */
  concerns(session: SessionId): boolean;
  /** The session's own authority, made at the first call. */
  authorityOf(session: SessionId): Promise<SessionAuthority>;
  /** Forgets the key of a session that ended. */
  forget(session: SessionId): void;
  /** Sorts the credentials by a request: those that are for it, and those that are not. */
  sort(use: CredentialUse): SortedCredentials;
}

/** Makes no authority before somebody asks for one. */
export function createInterception({ hosts, wanted, credentials }: InterceptionOptions): Interception {
  const covered = [...hosts, ...credentials.map(({ authority }) => authority)];
  const authorities = new Map<SessionId, Promise<SessionAuthority>>();
  return {
    credentials,
    covers: (session, authority) =>
      covered.some((each) => sameAuthority(each, authority)) ||
      wanted?.(session).covers(authority.host.text, authority.port) === true,
    concerns: (session) => covered.length > 0 || wanted?.(session).none === false,
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
