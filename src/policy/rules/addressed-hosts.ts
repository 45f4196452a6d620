import type { Rule } from "../../model/rule.ts";
import { expandCapability } from "./capability.ts";
import { parseWebPattern } from "./web-pattern.ts";
import { matchesWords, parseWordPattern, type WordPattern } from "./word-pattern.ts";

/** Hosts of whose requests rules for commands want to see more than the host: those of patterns with a path. */
export interface AddressedHosts {
  /** True where there is no such rule. */
  readonly none: boolean;
  /** Whether such a rule can be about this canonical host and port. */
  covers(host: string, port: number): boolean;
}

/** The scheme of a pattern, and the part of it that stands for the host. */
interface Addressed {
  readonly scheme: string;
  readonly authority: WordPattern;
}

const ports: Readonly<Record<string, readonly number[]>> = { "http://": [80], "https://": [443] };

/**
 * Gathers the patterns of `sandbox_network` that go on after the host: `https://api.example.com/v1/*`. What a rule leaves out counts like what it names. A host of one
 * `*` is every host: a rule about a path anywhere is a rule about all.
 */
export function addressedHosts(rules: readonly Rule[]): AddressedHosts {
  const found = rules
    .filter(({ capability }) => expandCapability(capability).includes("sandbox_network"))
    .flatMap(({ capability, match, exclude }) =>
      // Where a rule speaks about files, too, only a scheme tells an address from a path.
      [...match, ...exclude].filter((pattern) => capability === "sandbox_network" || pattern.includes("://")),
    )
    .flatMap(addressed);
  return {
    none: found.length === 0,
    covers(host, port) {
      const shown = host.includes(":") ? `[${host}]` : host;
      return found.some(({ scheme, authority }) => {
        const implied = (ports[scheme] ?? [80, 443]).includes(port);
        const names = implied ? [host, shown, `${shown}:${port}`] : [`${shown}:${port}`];
        return names.some((name) => matchesWords(authority, name));
      });
    },
  };
}

function addressed(pattern: string): Addressed[] {
  const { text } = parseWebPattern(pattern);
  const cut = text.indexOf("://");
  const scheme = cut < 0 ? "" : text.slice(0, cut + 3);
  const bare = text.slice(scheme.length);
  const end = bare.search(/[/?]/);
  return end < 0 ? [] : [{ scheme, authority: parseWordPattern(bare.slice(0, end)) }];
}
