import type { Address } from "./address.ts";
import { objectionToAddress, objectionToHost, type AddressRules, type Objection } from "./address-rules.ts";
import { parseAllowRange } from "./allow-range.ts";
import { EgressProblem, refusal } from "./egress-problem.ts";
import type { Host } from "./host.ts";
import type { Resolve } from "./resolve.ts";

/** Addresses of one name that are judged and dialled at most. */
const maxAddresses = 64;

/**
 * A host whose every address was judged. The dialler takes nothing else.
 *
 * The constructor is private and the only way to it judges, so there is no unjudged target: a look-alike does not compile, and a forged one
 * is no holder of the private field.
 */
export class PinnedTarget {
  readonly #host: Host;
  readonly #port: number;
  readonly #addresses: readonly Address[];

  private constructor(host: Host, port: number, addresses: readonly Address[]) {
    this.#host = host;
    this.#port = port;
    this.#addresses = addresses;
    Object.freeze(this);
  }

  /** Judges all addresses; a single bad one refuses the host. @throws EgressProblem */
  static judge(host: Host, port: number, addresses: readonly Address[], rules: AddressRules): PinnedTarget {
    if (addresses.length === 0) throw new EgressProblem("dns_empty", `${host.text} has no address`);
    if (addresses.length > maxAddresses)
      throw new EgressProblem("dns_failure", `${host.text} has more than ${maxAddresses} addresses`);
    for (const address of addresses) {
      const objection = objectionToAddress(address, port, rules);
      if (objection !== undefined) throw refused(host, port, objection);
    }
    return new PinnedTarget(host, port, addresses);
  }

  /** What a target holds. @throws where the target is forged: always a fault in Sallyport. */
  static read(target: PinnedTarget): { host: Host; port: number; addresses: readonly Address[] } {
    const found: unknown = target;
    if (typeof found !== "object" || found === null || !(#host in found)) throw new Error("forged target");
    return { host: target.#host, port: target.#port, addresses: target.#addresses };
  }
}

/** What the guard works with. */
export interface GuardParts {
  readonly resolve: Resolve;
  readonly rules: AddressRules;
}

/**
 * Resolves and judges. The name and the port are judged first, so that a refused name sends no query.
 * @throws EgressProblem `host_denied`, `port_denied`, `addr_*`, `dns_*`
 */
export async function guard(host: Host, port: number, parts: GuardParts, signal: AbortSignal): Promise<PinnedTarget> {
  if (host.kind === "address") return PinnedTarget.judge(host, port, [host.address], parts.rules);
  const objection = objectionToHost(host, port, parts.rules);
  if (objection !== undefined) throw refused(host, port, objection);
  return PinnedTarget.judge(host, port, await parts.resolve(host.text, signal), parts.rules);
}

/** Judges an address and port that configuration itself names, with nothing open but them: metadata services stay shut. @throws EgressProblem */
export function guardConfigured(address: Address, port: number): PinnedTarget {
  const itself = parseAllowRange(`[${address.text}/${address.bytes.length * 8}]:${port}`);
  const rules = { allow: [itself], ports: [], ownAddresses: () => [], ownPorts: () => [] };
  return PinnedTarget.judge({ kind: "address", text: address.text, address }, port, [address], rules);
}

function refused(host: Host, port: number, objection: Objection): EgressProblem {
  const because =
    host.kind === "name" && objection.reason.startsWith("addr_")
      ? `${host.text}: ${objection.because}`
      : objection.because;
  return refusal(objection.reason, { host: host.text, port, because, ...advice(objection) });
}

function advice({ reason }: Objection): { missing: string; next: string } {
  switch (reason) {
    case "addr_private":
    case "addr_special":
      return {
        missing: "a configured range that opens this address",
        next: "use a public host, or ask an administrator to open the address range",
      };
    case "port_denied":
      return {
        missing: "this port among the open ports",
        next: "use an open port, or ask an administrator to open this one",
      };
    default:
      return { missing: "", next: "nothing opens this: use a public host" };
  }
}
