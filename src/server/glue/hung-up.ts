import { Problem } from "../../model/problem.ts";

/** How a call ends whose caller is gone. One for all: most calls end so, and an error with a stack of its own costs more than what they did. */
export const hungUp = new Problem("cancelled", "the caller cancelled or hung up");
