import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An IP address. Equal addresses have equal `text`. */
export interface Address {
  readonly family: 4 | 6;
  /** 4 or 16 bytes in network order. */
  readonly bytes: readonly number[];
  /** Canonical: dotted decimal, or RFC 5952 with the last 32 bits in hexadecimal. */
  readonly text: string;
}

/**
 * Parses the standard spelling of an address, without brackets. Undefined for zone ids (`fe80::1%eth0`) and for the short, octal and
 * hexadecimal IPv4 forms: those are made canonical by the URL parser before they come here.
 */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 0 || text.includes("%")) return undefined;
  if (family === 4) {
    const bytes = text.split(".").map(Number);
    // No other spelling of IPv4 is standard; it comes with each request.
    return bytes.join(".") === text ? { family, bytes, text } : undefined;
  }
  const parsed = ipaddr.parse(hexadecimal(text));
  return { family: 6, bytes: parsed.toByteArray(), text: parsed.toString() };
}

/** Writes a dotted tail (RFC 4291, section 2.2) as two groups: ipaddr.js takes `::127.0.0.1` for the mapped `::ffff:127.0.0.1`. */
function hexadecimal(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

/** Makes an IPv4 address of four bytes. */
export function addressOfBytes(bytes: readonly number[]): Address {
  const parsed = ipaddr.fromByteArray([...bytes]);
  return { family: parsed.kind() === "ipv4" ? 4 : 6, bytes: parsed.toByteArray(), text: parsed.toString() };
}
