import { Problem } from "../model/problem.ts";
import type { Features } from "../model/runtime.ts";

/** Why a runtime makes no sandbox, for who asked for one: `unavailable` where that may pass by itself, `failed_precondition` where somebody has to do something. */
export function runtimeProblem({ reason, passing }: Features): Problem {
  return new Problem(passing === true ? "unavailable" : "failed_precondition", reason);
}
