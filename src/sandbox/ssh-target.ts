import { isIPv6 } from "node:net";
import { Problem } from "../model/problem.ts";

/** A machine with an engine that is reached by ssh(1). */
export interface SshTarget {
  /** Undefined: as ssh's own configuration has it. */
  readonly user: string | undefined;
  /** A name, an address, or a `Host` of ssh's configuration. */
  readonly host: string;
  readonly port: number | undefined;
  /** ssh itself: a name that is looked for in PATH, or a path. */
  readonly program: string;
}

/** No word of these may be taken for an option, or for more than one word by the shell of ProxyCommand. */
const plainName = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** Reads `ssh://[USER@]HOST[:PORT]`. @throws Problem `invalid_argument` where it is anything else. */
export function parseSshTarget(address: string, program: string): SshTarget {
  const found = /^ssh:\/\/(?:([^@/?#]*)@)?(\[[^\]]*\]|[^:@/?#]*)(?::(\d{1,5}))?\/?$/.exec(address);
  if (found === null) throw refused(address, "it must be ssh://[USER@]HOST[:PORT], without a password or a path");
  const [, user, bracketed = "", digits] = found;
  const host = bracketed.replace(/^\[|\]$/g, "");
  const port = digits === undefined ? undefined : Number(digits);
  if (user !== undefined && !plainName.test(user)) throw refused(address, "its user is no plain name");
  if (bracketed.startsWith("[") ? !isIPv6(host) : !plainName.test(host))
    throw refused(address, "its host is no name and no address");
  if (port !== undefined && (port < 1 || port > 65_535)) throw refused(address, "there is no such port");
  return { user, host, port, program };
}

function refused(address: string, reason: string): Problem {
  // A password may be in it.
  return new Problem("invalid_argument", `engine address ${address.replace(/:[^:@/]*@/, ":…@")}: ${reason}`);
}
