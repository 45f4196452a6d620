import type { AbsolutePath } from "./absolute-path.ts";

/** What a rule may speak about (design, section 5). */
export type Capability =
  | "fs_read"
  | "fs_write"
  | "shell"
  | "web_fetch"
  | "web_search"
  | "mcp"
  | "subagent"
  | "skill"
  | "plugin"
  | "context"
  | "diagnostics"
  | "sandbox_network";

/** A name in a rule that stands for several capabilities. */
export type MetaCapability = "all" | "builtin" | "filesystem";

/** All capabilities, for parsers. */
export const capabilities: readonly Capability[] = [
  "fs_read",
  "fs_write",
  "shell",
  "web_fetch",
  "web_search",
  "mcp",
  "subagent",
  "skill",
  "plugin",
  "context",
  "diagnostics",
  "sandbox_network",
];

/**
 * Why a part of a request cannot be seen before it runs. Only `program` may pass by an explicit allow rule for that program. `limit`: it is over a bound, and was looked at all the same;
 * `unread`: it was not, so that what a rule denies may be in it.
 */
export type OpaqueCause = "syntax" | "dynamic" | "environment" | "decode" | "program" | "limit" | "unread";

/** One thing that a request would do. Rules judge effects, never words. */
export type Effect = RunEffect | PathEffect | ReachEffect | UseEffect | OpaqueEffect;

/** A program that would be started. */
export interface RunEffect {
  readonly kind: "run";
  /** The base name of the program where it is known, such as `git`. */
  readonly program: string;
  /** Decoded words, the program first. Dynamic words are shown as they were written. */
  readonly argv: readonly string[];
  /** The canonical text that shell rules match: words quoted where needed, joined by one blank. */
  readonly text: string;
  /** Other canonical texts of the same run, such as the wrapper's form (`env X=1 git status`): deny and ask rules match them too. */
  readonly aliases?: readonly string[];
  /** True where a word is dynamic: no `*` of an allow rule may stand for it. */
  readonly dynamic?: boolean;
  /** True where the run is one of the read-only commands, in the exact shape that runs without a question by default. */
  readonly readOnly?: boolean;
}

/** A path that would be read (listed, too), written (created, renamed, re-moded, too) or deleted. */
export interface PathEffect {
  readonly kind: "read" | "write" | "delete";
  /** Resolved: symbolic links on the way are followed by Facts. For `exact: false` the fixed part or the pattern. */
  readonly path: AbsolutePath;
  /** False for a glob, a whole subtree or an unresolved tail. */
  readonly exact: boolean;
  /** The path as it was asked for, where a symbolic link made it another one: both are judged. */
  readonly spelled?: AbsolutePath;
}

/** A host and port that would be contacted. */
export interface ReachEffect {
  readonly kind: "reach";
  /** Canonical host: lower-case ASCII (punycode) without a trailing dot, or an address literal without brackets. `*` where it is unknown. */
  readonly host: string;
  readonly port: number;
  /** `web_fetch` for Fetch, `sandbox_network` for the container's proxy and for what a command's words say. */
  readonly capability: "web_fetch" | "sandbox_network";
  readonly method?: string;
  readonly url?: string;
  /** True where only a command's words name the host: what the command asks of it is judged again at the proxy, request by request. */
  readonly foretold?: true;
  /** Set where the host is an address literal or a name that is not globally routable, with the reason: refused unless configuration allows that range. */
  readonly internal?: string;
}

/** A named capability of the agent that Sallyport only judges, such as an MCP tool. */
export interface UseEffect {
  readonly kind: "use";
  readonly capability: Capability;
  readonly name: string;
}

/** What cannot be seen statically. Never below ask. */
export interface OpaqueEffect {
  readonly kind: "opaque";
  readonly text: string;
  readonly why: string;
  readonly cause: OpaqueCause;
}
