import type { Rule } from "../../model/rule.ts";
import { expandCapability } from "./capability.ts";
import { parseWebPattern } from "./web-pattern.ts";
import { matchesWords, parseWordPattern, type WordPattern } from "./word-pattern.ts";

/** Hosts of whose requests rules for commands want to see more than the host: those of patterns with a path, and of rules with methods. */
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
  /** True for a pattern without a path in a rule with methods: a host alone is that host on every port. */
  readonly anyPort: boolean;
}

const ports: Readonly<Record<string, readonly number[]>> = { "http://": [80], "https://": [443] };

/**
 * Gathers the patterns of `sandbox_network` that go on after the host, `https://api.example.com/v1/*`, and all of rules with methods. What a rule leaves out counts like what it names. A host of one
 * `*` is every host: a rule about a path anywhere is a rule about all.
 */
export function addressedHosts(rules: readonly Rule[]): AddressedHosts {
  const found = rules
    .filter(({ capability }) => expandCapability(capability).includes("sandbox_network"))
    .flatMap(({ capability, match, exclude, methods }) =>
      [...match, ...exclude]
        // Where a rule speaks about files, too, only a scheme tells an address from a path.
        .filter((pattern) => capability === "sandbox_network" || pattern.includes("://"))
        .flatMap((pattern) => addressed(pattern, methods !== undefined)),
    );
  return {
    none: found.length === 0,
    covers(host, port) {
      const shown = host.includes(":") ? `[${host}]` : host;
      return found.some(({ scheme, authority, anyPort }) => {
        const implied = anyPort || (ports[scheme] ?? [80, 443]).includes(port);
        const names = implied ? [host, shown, `${shown}:${port}`] : [`${shown}:${port}`];
        return names.some((name) => matchesWords(authority, name));
      });
    },
  };
}

function addressed(pattern: string, byMethod: boolean): Addressed[] {
  const { text } = parseWebPattern(pattern);
  const cut = text.indexOf("://");
  const scheme = cut < 0 ? "" : text.slice(0, cut + 3);
  const bare = text.slice(scheme.length);
  const end = bare.search(/[/?]/);
  if (end < 0) return byMethod ? [{ scheme, authority: parseWordPattern(bare), anyPort: true }] : [];
  return [{ scheme, authority: parseWordPattern(bare.slice(0, end)), anyPort: false }];
}
