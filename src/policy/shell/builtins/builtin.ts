import type { Invocation } from "../walk/invocation.ts";
import type { Outcome } from "../walk/outcome.ts";
import type { Walk } from "../walk/walk.ts";

/** What a builtin of the shell does to the shell. It reports its own command, too. */
export type Builtin = (call: Invocation, walk: Walk) => Outcome;
