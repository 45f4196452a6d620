import { exhausted } from "../../../model/exhausted.ts";
import { escapeGlob, textOf, withoutSlashes } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import { literalOutput } from "../output/literal-output.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { scriptText } from "../walk/script-text.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";
import { fill } from "./xargs.ts";
import { findStarts, readFind, type FindAction } from "../../blocklist/find-words.ts";

/** `find`: what its actions start, for anything below the start folders. */
export function runFind(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const words = call.argv.slice(1);
  const starts = findStarts(words);
  for (const action of readFind(words)) {
    if (action.kind === "exec") runAction(action, starts, call, walk);
  }
  return unchanged(call.state, literalOutput("find", call));
}

function runAction(
  action: Extract<FindAction, { kind: "exec" }>,
  starts: readonly Word[],
  call: Invocation,
  walk: Walk,
): void {
  const [first] = action.command;
  if (first === undefined) return;
  const base: Invocation = {
    ...call,
    argv: action.command,
    redirects: [],
    wrappers: [...call.wrappers, call.argv],
    external: true,
    // -execdir starts in the folder of what was found.
    state: action.inFolder ? { ...call.state, cwds: [undefined] } : call.state,
  };
  if (textOf(first)?.includes("{}") === true)
    opaque(walk, textOf(first) ?? "", "what was found is run as a program", "dynamic");
  walk.steps.invoke({ ...base, argv: filled(action.command, starts.map(below)), unchecked: true }, walk);
  const found: readonly Word[] = action.narrowed
    ? [{ kind: "dynamic", text: "{}", parts: [undefined], why: "it is what was found" }]
    : starts;
  walk.steps.invoke({ ...base, argv: filled(action.command, found) }, onlyChecking(walk));
}

/** Every word with `{}` once for each item. */
function filled(command: readonly Word[], items: readonly Word[]): Word[] {
  return command.flatMap((word) =>
    scriptText(word).includes("{}") ? items.map((item) => fill(word, "{}", item)) : [word],
  );
}

/** Anything below a start folder, and the folder itself. */
function below(start: Word): Word {
  switch (start.kind) {
    case "literal":
      return { kind: "glob", pattern: `${escapeGlob(withoutSlashes(start.value))}/**` };
    case "glob":
      return { kind: "glob", pattern: `${withoutSlashes(start.pattern)}/**` };
    case "dynamic":
      return start;
    default:
      return exhausted(start);
  }
}
