/** Host, port and last path component of what a program was given as an address. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** The last component of the path; empty where there is none. */
  readonly file: string;
}

const ports: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
  ftp: 21,
  ftps: 990,
  sftp: 22,
  scp: 22,
  ssh: 22,
  "git+ssh": 22,
  "ssh+git": 22,
  git: 9418,
  rsync: 873,
  telnet: 23,
  smtp: 25,
  smtps: 465,
  imap: 143,
  imaps: 993,
  pop3: 110,
  pop3s: 995,
  ldap: 389,
  ldaps: 636,
  dict: 2628,
  gopher: 70,
  mqtt: 1883,
  rtsp: 554,
  smb: 445,
  docker: 443,
  postgres: 5432,
  postgresql: 5432,
  mysql: 3306,
  redis: 6379,
  rediss: 6379,
  mongodb: 27_017,
  amqp: 5672,
};

/**
 * Reads `scheme://user@host:port/path` (RFC 3986) as programs do; without a scheme `standard` is taken. Undefined where there is no host
 * (`file:`), host `*` where the text cannot be read.
 */
export function parseAddress(text: string, standard = "http"): Address | undefined {
  const match = /^(?:([a-z][a-z0-9+.-]*):\/\/+)?([^/?#]*)([^?#]*)/i.exec(text.trim());
  const scheme = (match?.[1] ?? standard).toLowerCase();
  if (scheme === "file") return undefined;
  const authority = (match?.[2] ?? "").replace(/^.*@/, "");
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority);
  const host = parts?.[1] ?? "*";
  const port = parts?.[2] === undefined || parts[2] === "" ? (ports[scheme] ?? 0) : Number(parts[2]);
  const path = match?.[3] ?? "";
  // Braces and brackets in a host are curl's own globbing: several hosts.
  return {
    host: /[{}*?$%\\]/.test(host) || host === "" ? "*" : host,
    port,
    file: path.slice(path.lastIndexOf("/") + 1),
  };
}

/** A place on another host as scp, rsync and git write it: `user@host:path` or an address with `ssh://`, `rsync://`. Undefined: a local path. */
export function remotePlace(text: string, port = 22): Address | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return parseAddress(text);
  const match = /^(?:[^@/:]*@)?(\[[^\]]+\]|[^/:]+):(:?)/.exec(text);
  if (match?.[1] === undefined) return undefined;
  return {
    host: match[1],
    port: match[2] === ":" ? 873 : port,
    file: text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf(":")) + 1),
  };
}
