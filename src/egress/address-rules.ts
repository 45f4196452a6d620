import { parseAddress, type Address } from "./address.ts";
import { opens, type AllowRange } from "./allow-range.ts";
import { classify } from "./classify.ts";
import { EgressProblem } from "./egress-problem.ts";
import { embeddedIpv4 } from "./embedded.ts";
import { parseHost, type Host } from "./host.ts";
import type { Reason } from "./reason.ts";
import { contains, parsePrefix } from "./registry/prefix.ts";
import { specialName } from "./registry/names.ts";

/** What the guard judges by. Always on: no mode, rule or person relaxes it. */
export interface AddressRules {
  /** Ranges that configuration opens. */
  readonly allow: readonly AllowRange[];
  /** Ports that may be reached on public addresses. */
  readonly ports: readonly number[];
  /** Addresses of this machine's own interfaces, read at each request: they change. */
  readonly ownAddresses: () => readonly string[];
  /** TCP ports on which Sallyport itself listens: no range opens them on this machine, or a sandbox could talk to its own judge. */
  readonly ownPorts: () => readonly number[];
}

/** Ports open by default. */
export const defaultPorts: readonly number[] = [80, 443];

/** Why something is refused. */
export interface Objection {
  readonly reason: Reason;
  readonly because: string;
}

/** What speaks against a host and port before anything is resolved: a bad port, a special name, a literal that is not public. */
export function objectionToHost(host: Host, port: number, rules: AddressRules): Objection | undefined {
  if (host.kind === "address") return objectionToAddress(host.address, port, rules);
  const special = specialName(host.text);
  if (special !== undefined) return { reason: "host_denied", because: `${host.text} means ${special}` };
  const open =
    rules.ports.includes(port) || rules.allow.some((range) => range.port === undefined || range.port === port);
  return open ? undefined : closedPort(port, rules);
}

/** What speaks against connecting to an address. Metadata services are refused even inside an allowed range, embedded forms included. */
export function objectionToAddress(address: Address, port: number, rules: AddressRules): Objection | undefined {
  const found = classify(address);
  if (found.kind === "special" && found.reason === "addr_metadata")
    return { reason: found.reason, because: `${address.text} is ${found.name}` };
  // The port first: to read the interfaces asks the system.
  if (rules.ownPorts().includes(port) && isThisMachine(address, rules))
    return { reason: "addr_private", because: `${address.text} port ${port} is Sallyport itself` };
  const ranges = rules.allow.filter((range) => opens(range, address, port));
  if (ranges.length > 0) {
    // A range of translated addresses opens only what may be reached without the translation, too. Its length is that of the translator's prefix.
    const objections = ranges.map((range) =>
      embeddedIpv4(address, range.prefix.bits)
        .map((embedded) => objectionToAddress(embedded.address, port, rules))
        .find((objection) => objection !== undefined),
    );
    return objections.includes(undefined) ? undefined : objections[0];
  }
  if (found.kind === "special") return { reason: found.reason, because: `${address.text} is ${found.name}` };
  if (isThisMachine(address, rules))
    return { reason: "addr_private", because: `${address.text} is an address of this machine` };
  return rules.ports.includes(port) ? undefined : closedPort(port, rules);
}

/**
 * For `Facts.internalHost`: why a canonical host and port would be refused whatever the rules say; undefined where it is public, a name
 * to be resolved, opened by a range, or `*` (unknown: nothing to look at).
 */
export function internalHost(host: string, port: number, rules: AddressRules): string | undefined {
  if (host === "*") return undefined;
  try {
    return objectionToHost(parseHost(host), port, rules)?.because;
  } catch (error) {
    if (error instanceof EgressProblem) return error.message;
    throw error;
  }
}

/** Addresses that every machine has. Linux connects to the unspecified ones as to loopback. */
const everyMachine = ["127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"].map(parsePrefix);

function isThisMachine(address: Address, rules: AddressRules): boolean {
  return (
    everyMachine.some((prefix) => prefix !== undefined && contains(prefix, address)) ||
    rules.ownAddresses().some((own) => parseAddress(own)?.text === address.text)
  );
}

function closedPort(port: number, rules: AddressRules): Objection {
  return { reason: "port_denied", because: `port ${port} is not one of the open ports (${rules.ports.join(", ")})` };
}
