import { blocksOf, type Row } from "./special-purpose.ts";

/**
 * IPv4 addresses that are no public host: the IANA IPv4 Special-Purpose Address Registry, the multicast registry and class E.
 *
 * Rows that IANA calls globally reachable (AS112, AMT, PCP and TURN anycast, 6to4 relays) are here, too: no HTTP service that an agent
 * needs lives there.
 */
const rows: readonly Row[] = [
  ["0.0.0.0/8", "this network", "RFC 791"],
  ["0.0.0.0/32", "this host", "RFC 1122"],
  ["10.0.0.0/8", "private use", "RFC 1918"],
  ["100.64.0.0/10", "shared address space (carrier-grade NAT)", "RFC 6598"],
  ["127.0.0.0/8", "loopback", "RFC 1122"],
  ["169.254.0.0/16", "link-local", "RFC 3927"],
  ["172.16.0.0/12", "private use", "RFC 1918"],
  ["192.0.0.0/24", "IETF protocol assignments", "RFC 6890"],
  ["192.0.0.0/29", "IPv4 service continuity (DS-Lite)", "RFC 7335"],
  ["192.0.0.8/32", "IPv4 dummy address", "RFC 7600"],
  ["192.0.0.9/32", "Port Control Protocol anycast", "RFC 7723"],
  ["192.0.0.10/32", "TURN anycast", "RFC 8155"],
  ["192.0.0.170/32", "NAT64/DNS64 discovery", "RFC 7050"],
  ["192.0.0.171/32", "NAT64/DNS64 discovery", "RFC 7050"],
  ["192.0.2.0/24", "documentation (TEST-NET-1)", "RFC 5737"],
  ["192.31.196.0/24", "AS112-v4", "RFC 7535"],
  ["192.52.193.0/24", "AMT", "RFC 7450"],
  ["192.88.99.0/24", "deprecated 6to4 relay anycast", "RFC 7526"],
  ["192.88.99.2/32", "6a44 relay anycast", "RFC 6751"],
  ["192.168.0.0/16", "private use", "RFC 1918"],
  ["192.175.48.0/24", "direct delegation AS112 service", "RFC 7534"],
  ["198.18.0.0/15", "benchmarking", "RFC 2544"],
  ["198.51.100.0/24", "documentation (TEST-NET-2)", "RFC 5737"],
  ["203.0.113.0/24", "documentation (TEST-NET-3)", "RFC 5737"],
  ["224.0.0.0/4", "multicast", "RFC 5771"],
  ["240.0.0.0/4", "reserved", "RFC 1112"],
  ["255.255.255.255/32", "limited broadcast", "RFC 919"],
];

/** Everything in IPv4 that is not public; what is not listed is. */
export const specialIpv4 = blocksOf(rows);
