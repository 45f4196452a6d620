import { parse, type ParsedScript } from "unbash";
import { limits } from "../limits.ts";
import { checkText } from "../read/check-text.ts";
import { hasHoles, type Coverage } from "../read/coverage.ts";
import type { ShellState } from "../state/shell-state.ts";
import { joinOutput, silent, unchanged, type Outcome, type Output } from "./outcome.ts";
import { runStatements } from "./run-list.ts";
import { spanOf } from "./span.ts";
import { mayReparse, onlyChecking, opaque, type Substitution, type Walk } from "./walk.ts";

/** Parses and walks a text inside a text, or the whole text. */
export function runText(whole: string, state: ShellState, walk: Walk): Outcome {
  // bash keeps a backslash at the end of one line and drops it at the end of several: read without it, and asked about.
  const loose = (/\\+$/.exec(whole)?.[0].length ?? 0) % 2 === 1;
  const text = loose ? whole.slice(0, -1) : whole;
  if (loose) opaque(walk, whole, "a backslash at the end may stand for nothing", "syntax");
  const deeper: Walk = { ...walk, inline: walk.inline + 1 };
  if (deeper.inline > limits.inline || !mayReparse(walk, text)) {
    opaque(walk, text, "texts inside texts go too deep", "limit");
    return unchanged(state);
  }
  for (const why of checkText(text)) opaque(walk, text, why, "syntax");
  const script = parse(text);
  reportHoles(hasHoles(text, script, walk.budget), text, state, deeper);
  return runScript(script, text, state, deeper);
}

/** Walks the script of a substitution in a shell of its own, and gives its output. */
export function runSubstitution(part: Substitution, state: ShellState, walk: Walk): Output | undefined {
  if (!mayReparse(walk, part.text)) {
    opaque(walk, part.text, "substitutions go too deep", "limit");
    return undefined;
  }
  const { script } = part;
  if (script === undefined) {
    opaque(walk, part.text, "a substitution could not be read", "syntax");
    return undefined;
  }
  // Escaped backticks give a script whose positions count in a text of its own.
  const inside = script.source === undefined ? walk : { ...walk, span: spanOf(part, walk) };
  return runScript(script, part.text, state, inside).output;
}

/** Bash runs what the parser missed; the blocklist looks at it as far as it can be read by itself. */
function reportHoles(coverage: Coverage, text: string, state: ShellState, walk: Walk): void {
  if (coverage.kind === "limit") opaque(walk, text, "substitutions go too deep", "limit");
  if (coverage.kind !== "hole") return;
  opaque(walk, text, "a substitution stands where it cannot be followed", "syntax");
  walk.budget.holes += 1;
  if (walk.budget.holes <= limits.holes) runText(`: ${coverage.text}`, state, onlyChecking(walk));
}

function runScript(script: ParsedScript, text: string, state: ShellState, walk: Walk): Outcome {
  const [error] = script.errors ?? [];
  if (error !== undefined) opaque(walk, text, `bash would not accept it: ${error.message}`, "syntax");
  if (walk.depth > limits.depth) {
    opaque(walk, text, "commands inside commands go too deep", "limit");
    return unchanged(state);
  }
  const outcome = runStatements(script.commands, state, { ...walk, depth: walk.depth + 1 });
  return { ...outcome, output: joinOutput(silent, outcome.output) };
}
