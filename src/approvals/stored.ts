import { Problem } from "../model/problem.ts";

/** What `use` gives. @throws Problem: what it throws, or `unavailable` saying that `what` could not be stored */
export function stored<T>(what: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw asProblem(error, `${what} could not be stored`);
  }
}

/** A Problem as it is; anything else as `unavailable`, in these words. */
export function asProblem(error: unknown, doing = "a question could not be kept"): Problem {
  return error instanceof Problem ? error : new Problem("unavailable", doing, { cause: error });
}
