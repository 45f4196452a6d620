import type { AbsolutePath } from "./absolute-path.ts";

/** A granted folder: judged by policy and mounted by the runtime, one list for both. */
export interface Scope {
  readonly root: AbsolutePath;
  readonly access: "ro" | "rw";
  readonly lasts: "once" | "session" | "always";
  readonly expiresAt?: Date;
}
