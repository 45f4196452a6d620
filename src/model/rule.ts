import type { Capability, MetaCapability } from "./effect.ts";
import type { Verdict } from "./verdict.ts";

/** Where a rule comes from. Hardcoded and managed rules may deny or ask; the others also allow. */
export type Source = "hardcoded" | "managed" | "user" | "workspace" | "agent" | "session";

/** All sources, in the order in which rules are listed. */
export const sources: readonly Source[] = ["hardcoded", "managed", "user", "workspace", "agent", "session"];

/** Law: `deny > ask > allow` over all sources. */
export interface Rule {
  /** Unique within its source, for example `blocklist.sudo` or `user.12`. */
  readonly id: string;
  readonly source: Source;
  readonly capability: Capability | MetaCapability;
  /** Globs; one hit is enough. */
  readonly match: readonly string[];
  /** Globs that take a hit away again. */
  readonly exclude: readonly string[];
  /** HTTP methods that it is about, of `httpMethods`, at least one; rules of `web_fetch` and `sandbox_network` only. Undefined: it does not look at the method. */
  readonly methods?: readonly string[];
  readonly effect: Verdict;
  readonly because?: string;
  readonly examples?: { readonly hits: readonly string[]; readonly misses: readonly string[] };
  /** `file:line` of a rule that was read from a file. */
  readonly origin?: string;
  /** When it ends by itself; rules of sessions only. */
  readonly expiresAt?: Date;
}

/** A rule that an "always" answer would write: shown to the person before the answer, word for word. */
export interface RuleDraft {
  readonly capability: Capability;
  readonly match: string;
  readonly effect: "allow" | "deny";
}
