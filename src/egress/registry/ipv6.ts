import { blocksOf, type Row } from "./special-purpose.ts";

/**
 * IPv6 blocks with a name: the IANA IPv6 Special-Purpose Address Registry, multicast, and three deprecated formats that the registry no
 * longer lists. Public space is an allow-list (2000::/3 less these rows), so a block that is missing here loses its name, not its refusal,
 * unless it lies inside 2000::/3.
 */
const rows: readonly Row[] = [
  ["::/128", "unspecified", "RFC 4291"],
  ["::1/128", "loopback", "RFC 4291"],
  ["::/96", "IPv4-compatible, deprecated", "RFC 4291"],
  ["::ffff:0:0/96", "IPv4-mapped", "RFC 4291"],
  ["::ffff:0:0:0/96", "IPv4-translated (SIIT)", "RFC 7915"],
  ["64:ff9b::/96", "IPv4-IPv6 translation (NAT64)", "RFC 6052"],
  ["64:ff9b:1::/48", "local-use IPv4-IPv6 translation", "RFC 8215"],
  ["100::/64", "discard-only", "RFC 6666"],
  ["100:0:0:1::/64", "dummy prefix", "RFC 9780"],
  ["2001::/23", "IETF protocol assignments", "RFC 2928"],
  ["2001::/32", "Teredo", "RFC 4380"],
  ["2001:1::1/128", "Port Control Protocol anycast", "RFC 7723"],
  ["2001:1::2/128", "TURN anycast", "RFC 8155"],
  ["2001:1::3/128", "DNS-SD Service Registration Protocol anycast", "RFC 9665"],
  ["2001:2::/48", "benchmarking", "RFC 5180"],
  ["2001:3::/32", "AMT", "RFC 7450"],
  ["2001:4:112::/48", "AS112-v6", "RFC 7535"],
  ["2001:10::/28", "deprecated ORCHID", "RFC 4843"],
  ["2001:20::/28", "ORCHIDv2", "RFC 7343"],
  ["2001:30::/28", "drone remote identification", "RFC 9374"],
  ["2001:db8::/32", "documentation", "RFC 3849"],
  ["2002::/16", "6to4", "RFC 3056"],
  ["2620:4f:8000::/48", "direct delegation AS112 service", "RFC 7534"],
  ["3fff::/20", "documentation", "RFC 9637"],
  ["5f00::/16", "segment routing (SRv6) SIDs", "RFC 9602"],
  ["fc00::/7", "unique local", "RFC 4193"],
  ["fe80::/10", "link-local", "RFC 4291"],
  ["fec0::/10", "site-local, deprecated", "RFC 3879"],
  ["ff00::/8", "multicast", "RFC 4291"],
];

/** Named IPv6 blocks that are not public. */
export const specialIpv6 = blocksOf(rows);

/** The only space from which global unicast addresses are given out (RFC 4291, IANA IPv6 Global Unicast Address Assignments). */
export const globalUnicastIpv6 = "2000::/3";
