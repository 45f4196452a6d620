import { parse, type ParsedScript } from "unbash";
import { limits } from "../limits.ts";
import { checkText } from "../read/check-text.ts";
import { hasHoles, type Coverage } from "../read/coverage.ts";
import { nestingUnits } from "../read/nesting-units.ts";
import type { ShellState } from "../state/shell-state.ts";
import { joinOutput, silent, unchanged, type Outcome, type Output } from "./outcome.ts";
import { runStatements } from "./run-list.ts";
import { spanOf } from "./span.ts";
import { mayReparse, opaque, tooDeep, type Substitution, type Walk } from "./walk.ts";

/** Parses and walks a text inside a text, or the whole text. */
export function runText(whole: string, state: ShellState, walk: Walk): Outcome {
  // bash keeps a backslash at the end of one line and drops it at the end of several: read without it, and asked about.
  const loose = (/(?<!\\)\\+$/.exec(whole)?.[0].length ?? 0) % 2 === 1;
  const text = loose ? whole.slice(0, -1) : whole;
  if (loose) opaque(walk, whole, "a backslash at the end may stand for nothing", "syntax");
  const deeper: Walk = { ...walk, inline: walk.inline + 1, source: text };
  if (deeper.inline > limits.inline || !mayReparse(walk, text)) {
    tooDeep(deeper, text, "texts inside texts go too deep");
    return unchanged(state);
  }
  walk.work.spend(6 + parseUnits(text));
  for (const why of checkText(text)) opaque(walk, text, why, "syntax");
  const script = parsed(text);
  if (script === undefined) {
    tooDeep(deeper, text, "commands inside commands go too deep");
    return unchanged(state);
  }
  reportHoles(hasHoles(text, script, walk.budget, walk.work), text, state, deeper);
  return runScript(script, text, state, deeper);
}

/** What parsing costs: the parser goes over all open here-documents at each one more. */
function parseUnits(text: string): number {
  const hereDocuments = text.split("<<").length - 1;
  return text.length / 32 + hereDocuments ** 2 / 1000 + nestingUnits(text);
}

/** Undefined: it nests deeper than the parser's stack reaches. */
function parsed(text: string): ParsedScript | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Walks the script of a substitution in a shell of its own, and gives its output. */
export function runSubstitution(part: Substitution, state: ShellState, walk: Walk): Output | undefined {
  if (!mayReparse(walk, part.text)) {
    tooDeep(walk, part.text, "substitutions go too deep");
    return undefined;
  }
  walk.work.spend(4);
  const { script } = part;
  if (script === undefined) {
    opaque(walk, part.text, "a substitution could not be read", "syntax");
    return undefined;
  }
  // Escaped backticks give a script whose positions count in a text of its own.
  const inside = script.source === undefined ? walk : { ...walk, span: spanOf(part, walk) };
  const { output } = runScript(script, part.text, state, inside);
  return readsFile(script) ? undefined : output;
}

/** `$(< file)` prints the file (bash manual, "Command Substitution"). */
function readsFile({ commands: [statement, ...others] }: ParsedScript): boolean {
  const command = statement?.command;
  return (
    others.length === 0 &&
    command?.type === "Command" &&
    command.name === undefined &&
    command.redirects.some(({ operator }) => operator === "<")
  );
}

/** Bash runs what the parser missed: it is looked at as far as it can be read by itself. */
function reportHoles({ holes, isCut }: Coverage, text: string, state: ShellState, walk: Walk): void {
  if (isCut) tooDeep(walk, text, "substitutions go too deep");
  if (holes.length > 0) opaque(walk, text, "a substitution stands where it cannot be followed", "syntax");
  for (const hole of holes) runText(`: ${hole}`, state, walk);
}

function runScript(script: ParsedScript, text: string, state: ShellState, walk: Walk): Outcome {
  const [error] = script.errors ?? [];
  if (error !== undefined) {
    opaque(walk, text, `bash would not accept it: ${error.message}`, "syntax");
    // The parser gives up where bash goes on.
    if (error.message.endsWith("nesting depth exceeded")) walk.cut.add(walk.source);
  }
  if (walk.depth > limits.depth) {
    tooDeep(walk, text, "commands inside commands go too deep");
    return unchanged(state);
  }
  const outcome = runStatements(script.commands, state, { ...walk, depth: walk.depth + 1 });
  return { ...outcome, output: joinOutput(silent, outcome.output) };
}
