import type { exitLimits } from "./protocol.ts";

/** What init sends. A data frame may arrive in several fragments, each a `stdout` or `stderr` of its own. */
export type Frame =
  | { readonly kind: "hello"; readonly version: number; readonly features: number }
  | { readonly kind: "started"; readonly channel: number; readonly pid: number }
  | { readonly kind: "failed"; readonly channel: number; readonly errno: number; readonly stage: number }
  | DataFrame
  | { readonly kind: "eof" | "open" | "reset"; readonly channel: number }
  | { readonly kind: "credit"; readonly channel: number; readonly bytes: number }
  | ExitFrame
  | { readonly kind: "pong"; readonly channel: number; readonly token: bigint }
  | StatedFrame;

/** Output of a command, or bytes from a connection (always `stdout`). A view of the bytes that were pushed: no copy. */
export interface DataFrame {
  readonly kind: "stdout" | "stderr";
  readonly channel: number;
  readonly data: Uint8Array;
}

/** The end of a command: always the last frame of its channel. */
export interface ExitFrame {
  readonly kind: "exit";
  readonly channel: number;
  /** Exit status; undefined where a signal ended it. */
  readonly code: number | undefined;
  readonly signal: number | undefined;
  readonly flags: number;
  /** The limit that ended it, or that it ran into before it failed. */
  readonly limit: (typeof exitLimits)[number];
  readonly userMicros: number;
  readonly systemMicros: number;
  readonly wallMicros: number;
  readonly maxRssBytes: number;
}

/** Answer to a stat: what lstat(2) said inside the sandbox. `errno` 0: the rest holds. */
export interface StatedFrame {
  readonly kind: "stated";
  readonly channel: number;
  readonly errno: number;
  readonly mode: number;
  readonly device: bigint;
  readonly inode: bigint;
}
