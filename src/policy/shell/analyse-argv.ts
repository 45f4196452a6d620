import { analyse } from "./analyse-shell.ts";
import type { ShellAnalysis, ShellWorld } from "./shell-analysis.ts";
import { checkText } from "./read/check-text.ts";
import { limits } from "./limits.ts";
import { opaque } from "./walk/walk.ts";

/** Says what a program start without a shell would do. Words stand for themselves: nothing is expanded. Never throws. */
export function analyseArgv(argv: readonly [string, ...string[]], world: ShellWorld): ShellAnalysis {
  const text = argv.join(" ");
  return analyse(text, world, (walk, state) => {
    if (text.length > limits.decidedUnits)
      opaque(walk, text, `the words are longer than ${limits.decidedUnits} characters`, "limit");
    for (const why of checkText(text)) opaque(walk, text, why, "syntax");
    walk.steps.invoke(
      {
        argv: argv.map((value) => ({ kind: "literal", value })),
        assignments: [],
        redirects: [],
        state,
        span: { start: 0, end: text.length },
        wrappers: [],
        external: true,
      },
      walk,
    );
  });
}
