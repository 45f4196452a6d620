import { fearedPrograms } from "../../blocklist/feared-programs.ts";
import type { ShellState } from "../state/shell-state.ts";
import { afterwards } from "./outcome.ts";
import type { Walk } from "./walk.ts";

/** What separates or groups commands, wherever it stands. */
const edges = /[;&\n(){}`]+|\|\|/;

/** Words before a command that are not the command: keywords, and builtins that take it as it is. */
const before =
  /^(?:\s|(?:if|then|elif|else|fi|while|until|do|done|esac|in|time|coproc|function|!|eval|command|builtin|exec)(?=\s)|\|)+/;

/**
 * Looks once more through texts that are nested too deep to be walked: at every piece that may be a command, without its quotes, too. Neither depth nor length may make a question of
 * a denial, so this reads too much rather than too little. It costs no more than the length of the texts.
 */
export function lookThrough(texts: Iterable<string>, start: ShellState, walk: Walk): void {
  let state = start;
  for (const text of texts) for (const piece of piecesOf(text)) state = afterwards(walk.steps.text(piece, state, walk));
}

/** Pieces that are looked at in a text for which no work is left, and how much of each. */
const mostPieces = 64;
const mostUnits = 2048;

/** Looks for forbidden commands in a text that is denied already, because it has too many parts: a person should hear of the worst in it. */
export function lookForFeared(text: string, start: ShellState, walk: Walk): void {
  const name = new RegExp(`^(?:[^]*[^\\w-])?(?=(?:${fearedPrograms.join("|")})(?:$|[^\\w-]))`);
  const found = new Set<string>();
  for (const piece of piecesOf(text)) {
    // Whatever stands before the last of them may be wrappers.
    const [head] = name.exec(piece) ?? [];
    if (head === undefined) continue;
    found.add(shortened(piece.slice(head.length))).add(shortened(piece));
    if (found.size >= mostPieces) break;
  }
  lookThrough(found, start, walk);
}

/** The start and the end: what it is, and what it is about. */
function shortened(piece: string): string {
  return piece.length <= mostUnits ? piece : `${piece.slice(0, mostUnits / 2)} ${piece.slice(-mostUnits / 2)}`;
}

function piecesOf(text: string): Set<string> {
  const pieces = new Set<string>();
  for (const each of text.split(edges)) {
    const piece = each.replace(before, "").trim();
    pieces.add(piece).add(piece.replace(/['"\\]/g, "").replace(before, ""));
  }
  pieces.delete("");
  return pieces;
}
