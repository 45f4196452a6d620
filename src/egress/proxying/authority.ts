import { EgressProblem } from "../egress-problem.ts";
import { parseHost, type Host } from "../host.ts";

/** Host and port of a CONNECT request or of a Host header. */
export interface Authority {
  readonly host: Host;
  readonly port: number;
}

const shape = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):([^@/:]*)$/i;

/**
 * Parses `host:port`, both required (RFC 9112, section 3.2.3). Strict on purpose: whatever a lenient parser would read in two ways
 * (`a:443@b:80`, `a:0x50`, `a:+443`, a URL, a zone id) is refused.
 * @throws EgressProblem `bad_host` or `bad_port`
 */
export function parseAuthority(text: string): Authority {
  const found = shape.exec(text);
  if (found === null)
    throw new EgressProblem("bad_host", `the authority ${JSON.stringify(text.slice(0, 100))} is not host:port`);
  const digits = found[2] ?? "";
  const port = Number(digits);
  if (!/^[1-9]\d{0,4}$/.test(digits) || port > 65_535)
    throw new EgressProblem("bad_port", `${JSON.stringify(digits.slice(0, 20))} is no port`);
  return { host: parseHost(found[1] ?? ""), port };
}
