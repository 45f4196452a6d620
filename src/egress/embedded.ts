import { addressOfBytes, type Address } from "./address.ts";
import { contains, parsePrefix, type Prefix } from "./registry/prefix.ts";

/** An IPv4 address that an IPv6 address carries: a translator or tunnel on the way may deliver there. */
export interface Embedded {
  readonly form: string;
  readonly address: Address;
}

interface Form {
  readonly form: string;
  readonly prefix: Prefix | undefined;
  /** Position of the four bytes. */
  readonly at: number;
  /** Teredo inverts the client's address (RFC 4380, section 4). */
  readonly inverted?: true;
}

const forms: readonly Form[] = [
  { form: "IPv4-mapped", prefix: parsePrefix("::ffff:0:0/96"), at: 12 },
  { form: "IPv4-translated", prefix: parsePrefix("::ffff:0:0:0/96"), at: 12 },
  { form: "NAT64", prefix: parsePrefix("64:ff9b::/96"), at: 12 },
  { form: "6to4", prefix: parsePrefix("2002::/16"), at: 2 },
  { form: "Teredo client", prefix: parsePrefix("2001::/32"), at: 12, inverted: true },
  { form: "Teredo server", prefix: parsePrefix("2001::/32"), at: 4 },
  { form: "IPv4-compatible", prefix: parsePrefix("::/96"), at: 12 },
];

/** Where the four bytes are behind a translation prefix of so many bits (RFC 6052, section 2.2). Byte 8 is none of them. */
const layouts: ReadonlyMap<number, readonly number[]> = new Map([
  [96, [12, 13, 14, 15]],
  [64, [9, 10, 11, 12]],
  [56, [7, 9, 10, 11]],
  [48, [6, 7, 9, 10]],
]);
const localUse = parsePrefix("64:ff9b:1::/48");

/**
 * All IPv4 addresses that an address may carry; empty for IPv4 and for plain IPv6. Behind the local-use prefix (RFC 8215) the place depends
 * on the length of the operator's own prefix: without `translationBits` every place counts, with it this one; a length that none has gives 0.0.0.0.
 */
export function embeddedIpv4(address: Address, translationBits?: number): readonly Embedded[] {
  // `::` and `::1` have meanings of their own (RFC 4291, section 2.5).
  if (address.family === 4 || address.text === "::" || address.text === "::1") return [];
  const found = forms
    .filter(({ prefix }) => prefix !== undefined && contains(prefix, address))
    .map(({ form, at, inverted }) => {
      const bytes = address.bytes.slice(at, at + 4).map((byte) => (inverted === true ? byte ^ 0xff : byte));
      return { form, address: addressOfBytes(bytes) };
    });
  if (localUse !== undefined && contains(localUse, address)) {
    const places = translationBits === undefined ? [...layouts.values()] : [layouts.get(translationBits) ?? []];
    for (const place of places)
      found.push({
        form: "local-use NAT64",
        address: addressOfBytes([0, 1, 2, 3].map((index) => address.bytes[place[index] ?? -1] ?? 0)),
      });
  }
  if (isIsatap(address)) found.push({ form: "ISATAP", address: addressOfBytes(address.bytes.slice(12)) });
  return found;
}

/** The interface identifier 0000:5efe or 0200:5efe before the IPv4 address (RFC 5214, section 6.1). */
function isIsatap({ bytes }: Address): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
