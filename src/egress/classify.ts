import type { Address } from "./address.ts";
import { embeddedIpv4 } from "./embedded.ts";
import { specialIpv4 } from "./registry/ipv4.ts";
import { globalUnicastIpv6, specialIpv6 } from "./registry/ipv6.ts";
import { metadataServices } from "./registry/metadata.ts";
import { contains, parsePrefix } from "./registry/prefix.ts";
import type { SpecialBlock } from "./registry/special-purpose.ts";

/** What an address is. `special`: not a public host, with the registry's name for it. */
export type Classification =
  | { readonly kind: "public" }
  | {
      readonly kind: "special";
      readonly reason: "addr_metadata" | "addr_private" | "addr_special";
      /** One phrase, for example `loopback (RFC 1122)`. */
      readonly name: string;
    };

const globalUnicast = parsePrefix(globalUnicastIpv6);
/** Blocks behind which somebody's own machines sit, as opposed to blocks where nothing should be. */
const privateNames =
  /^(?:private use|loopback|link-local|unique local|shared address space|this |unspecified|site-local)/;

/**
 * Tells public addresses from all others. Public is IPv4 less the special-purpose registries, and 2000::/3 less its registry. Addresses
 * that carry an IPv4 address which is not public are not public either.
 */
export function classify(address: Address): Classification {
  const service = metadataName(address);
  if (service !== undefined) return { kind: "special", reason: "addr_metadata", name: service };
  const block = (address.family === 4 ? specialIpv4 : specialIpv6).find(({ prefix }) => contains(prefix, address));
  if (block !== undefined) return named(block, address);
  if (address.family === 4) return { kind: "public" };
  if (globalUnicast === undefined || !contains(globalUnicast, address))
    return { kind: "special", reason: "addr_special", name: "outside the global unicast space 2000::/3" };
  const carried = embeddedIpv4(address).find((embedded) => classify(embedded.address).kind !== "public");
  return carried === undefined
    ? { kind: "public" }
    : { kind: "special", reason: "addr_special", name: `${carried.form} for ${carried.address.text}` };
}

/** The metadata service that is at an address, or at an IPv4 address that it carries. */
function metadataName(address: Address): string | undefined {
  const serviceAt = (at: Address): string | undefined =>
    metadataServices.find(({ prefix }) => contains(prefix, at))?.name;
  const carried = embeddedIpv4(address).find((embedded) => serviceAt(embedded.address) !== undefined);
  return (
    serviceAt(address) ?? (carried && `${carried.form} for ${carried.address.text}, ${serviceAt(carried.address)}`)
  );
}

function named(block: SpecialBlock, address: Address): Classification {
  // Behind the local-use prefix nobody but the operator knows which of the places it is.
  const carried = embeddedIpv4(address).find(({ form }) => form !== "local-use NAT64");
  const name = `${block.name} (${block.source})${carried === undefined ? "" : ` for ${carried.address.text}`}`;
  return { kind: "special", reason: privateNames.test(block.name) ? "addr_private" : "addr_special", name };
}
