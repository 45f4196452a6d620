import { invalid } from "../model/problem.ts";
import type { Address } from "./address.ts";
import { contains, parsePrefix, type Prefix } from "./registry/prefix.ts";

/** Addresses that an administrator opened although they are not public, for one port or for all. */
export interface AllowRange {
  readonly prefix: Prefix;
  /** Undefined: every port. */
  readonly port: number | undefined;
}

const shape = /^(?:\[([0-9a-f:.]+\/\d+)\]|([0-9a-f:.]+\/\d+)|([0-9.]+\/\d+))(?::([1-9]\d{0,4}))?$/i;

/**
 * Parses `CIDR`, `CIDR:PORT` or `[CIDR]:PORT` (IPv6), for example `10.1.0.0/16:8443` or `[fd00::/8]:443`.
 * @throws Problem `invalid_argument`: malformed, bits set past the prefix, or so wide that it would open the internet (`0.0.0.0/0`).
 */
export function parseAllowRange(text: string, field = "allow_ranges"): AllowRange {
  const found = shape.exec(text);
  const prefix = parsePrefix(found?.[1] ?? found?.[2] ?? found?.[3] ?? "");
  if (prefix === undefined) throw invalid(field, `${JSON.stringify(text)} is no CIDR[:port] in canonical form`);
  if (prefix.bits < (prefix.family === 4 ? 8 : 7)) throw invalid(field, `${prefix.text} is too wide`);
  const port = found?.[4] === undefined ? undefined : Number(found[4]);
  if (port !== undefined && port > 65_535) throw invalid(field, `${port} is no port`);
  return { prefix, port };
}

/** True where the range opens this address and port. */
export function opens(range: AllowRange, address: Address, port: number): boolean {
  return (range.port === undefined || range.port === port) && contains(range.prefix, address);
}
