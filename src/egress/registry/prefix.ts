import type { Address } from "../address.ts";
import { parseAddress } from "../address.ts";

/** A block of addresses. */
export interface Prefix {
  readonly family: 4 | 6;
  readonly bytes: readonly number[];
  readonly bits: number;
  /** As it was written, `10.0.0.0/8`. */
  readonly text: string;
}

const shape = /^([0-9a-f.:]+)\/(0|[1-9]\d{0,2})$/i;

/** Parses `ADDRESS/BITS`. Undefined where it is malformed or has bits set past its length (so that nobody opens more than was meant). */
export function parsePrefix(text: string): Prefix | undefined {
  const found = shape.exec(text);
  const address = parseAddress(found?.[1] ?? "");
  if (address === undefined) return undefined;
  const bits = Number(found?.[2]);
  if (bits > address.bytes.length * 8) return undefined;
  const clean = address.bytes.every((byte, index) => (byte & ~maskAt(index, bits) & 0xff) === 0);
  return clean ? { family: address.family, bytes: address.bytes, bits, text: `${address.text}/${bits}` } : undefined;
}

/** True where the address lies in the block. An IPv4 block never holds an IPv6 address, mapped or not. */
export function contains(prefix: Prefix, address: Address): boolean {
  if (prefix.family !== address.family) return false;
  // Each request is held against every row of the registries.
  for (let index = 0; index * 8 < prefix.bits; index += 1)
    if ((((prefix.bytes[index] ?? 0) ^ (address.bytes[index] ?? 0)) & maskAt(index, prefix.bits)) !== 0) return false;
  return true;
}

/** The mask of one byte of a prefix of this length. */
function maskAt(index: number, bits: number): number {
  const left = Math.min(8, Math.max(0, bits - index * 8));
  return (0xff << (8 - left)) & 0xff;
}
