import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";
import type { Work } from "../../work.ts";
import { limits } from "../limits.ts";

/** What the cross-check found: parts of the source that are in no tree, and whether it was too deep to tell of all. */
export interface Coverage {
  readonly holes: readonly string[];
  readonly isCut: boolean;
}

const none: Coverage = { holes: [], isCut: false };

/** The character is text that bash never expands, or starts something that is in the tree. */
const settled = 1;
/** The character lies in a word or a here-document, so that a `#` is no comment. */
const inWord = 2;
/** The character lies in double quotes or a here-document, where `<(` means nothing. */
const inQuotes = 4;

interface Marks {
  readonly source: string;
  readonly marks: Uint8Array;
  readonly budget: CoverageBudget;
  readonly work: Work;
  readonly holes: string[];
  isCut: boolean;
}

/** What the cross-check of one analysis has read so far, over all its texts. */
export interface CoverageBudget {
  covered: number;
}

const opening = /\$[({[]|`|[<>]\(/g;

/**
 * Checks that every substitution in the source is in the parser's tree or in text that bash never expands, and that no bracket was dropped. The
 * parser misses some; bash runs them, or refuses the text. Linear in the source, over all levels of nesting together.
 */
export function hasHoles(source: string, script: ParsedScript, budget: CoverageBudget, work: Work): Coverage {
  if (!/[$`(]/.test(source)) return none;
  const check: Marks = { source, marks: new Uint8Array(source.length + 1), budget, work, holes: [], isCut: false };
  visit(script, check, false, 0);
  if (!check.isCut) findMissed(check);
  return check;
}

/** What the tree does not account for, the outermost of what is nested. */
function findMissed(check: Marks): void {
  const { source, marks, holes } = check;
  markComments(check);
  let end = 0;
  for (const { index, 0: mark } of source.matchAll(opening)) {
    const at = marks[index] ?? 0;
    if (index < end || (at & settled) !== 0 || escaped(source, index)) continue;
    if (!/^[$`]/.test(mark) && (at & inQuotes) !== 0) continue;
    end = endOf(source, index, mark);
    holes.push(source.slice(index, end));
  }
}

const closing: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

/** Where what opens there ends at the latest: whether quotes count inside depends on what the parser did not understand. */
function endOf(source: string, start: number, mark: string): number {
  const open = mark.at(-1) ?? "";
  if (open === "`") {
    const next = source.indexOf("`", start + 1);
    return next < 0 ? source.length : next + 1;
  }
  return Math.max(closedAt(source, start, open, false), closedAt(source, start, open, true));
}

/** The end of the source where nothing closes it. */
function closedAt(source: string, start: number, open: string, quotes: boolean): number {
  const close = closing[open];
  let quote = "";
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const char = source[at] ?? "";
    if (quotes && char === "\\" && quote !== "'") at += 1;
    else if (quotes && (char === "'" || char === '"') && (quote === "" || quote === char))
      quote = quote === "" ? char : "";
    else if (quote === "" && char === open) depth += 1;
    else if (quote === "" && char === close && (depth -= 1) === 0) return at + 1;
  }
  return source.length;
}

function visit(node: SyntaxNode, check: Marks, plainQuotes: boolean, depth: number): void {
  if (check.isCut) return;
  if (depth > limits.depth * 4) {
    check.isCut = true;
    return;
  }
  let inner = plainQuotes;
  switch (node.type) {
    case "SingleQuoted":
    case "AnsiCQuoted":
      // In arithmetic and in here-documents single quotes do not quote.
      if (!plainQuotes) fill(check, node.pos, node.end, settled);
      return;
    case "HereDocDelimiter":
      fill(check, node.pos, node.end, settled);
      return;
    case "HereDoc":
      if (node.delimiter?.quoted === true) fill(check, node.body.pos, node.body.end, settled);
      fill(check, node.body.pos, node.body.end, inWord | inQuotes);
      inner = true;
      break;
    case "Word":
      fill(check, node.pos, node.end, inWord);
      break;
    case "DoubleQuoted":
    case "LocaleString":
      for (const part of node.parts) if (part.type === "Literal") fill(check, part.pos, part.end, inQuotes);
      break;
    case "ParameterExpansion":
      if (!mayCover(node, check)) return;
      fill(check, node.pos, node.pos + 1, settled);
      if (node.index !== undefined) visit(node.index, check, true, depth + 1);
      if (node.operation !== undefined)
        visit(node.operation, check, plainQuotes || node.operation.type === "Slice", depth + 1);
      return;
    case "Unknown":
      addHole(node, check);
      return;
    case "CommandExpansion":
    case "ArithmeticCommandExpansion":
    case "ProcessSubstitution":
      return visitSubstitution(node, check, depth);
    case "ArithmeticExpansion":
      if (!mayCover(node, check)) return;
      fill(check, node.pos, node.pos + 1, settled);
      inner = true;
      break;
    case "ArithmeticCommand":
      inner = true;
      break;
    case "ArithmeticFor":
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) visit(part, check, true, depth + 1);
      visit(node.body, check, plainQuotes, depth + 1);
      return;
    case "Command":
      // The parser drops a bracket behind the name of a command that is no function.
      if (node.name !== undefined && bracketAt(check.source, node.name.end)) addHole(node, check);
      break;
    case "Assignment":
      if (node.index !== undefined) visit(node.index, check, true, depth + 1);
      // An array with something glued to it: the parser keeps it as plain text.
      if (node.value.type === "Word" && node.value.text.startsWith("(")) check.holes.push(node.value.text.slice(1));
      visit(node.value, check, plainQuotes, depth + 1);
      return;
    default:
  }
  forEachChild(node, (child) => visit(child, check, inner, depth + 1));
}

type Substitution = Extract<
  SyntaxNode,
  { type: "CommandExpansion" | "ArithmeticCommandExpansion" | "ProcessSubstitution" }
>;

function visitSubstitution(node: Substitution, check: Marks, depth: number): void {
  if (!mayCover(node, check)) return;
  clear(check, node.pos + 1, node.end - 1, inWord | inQuotes);
  fill(check, node.pos, node.pos + 1, settled);
  if (node.text.startsWith("`")) fill(check, node.end - 1, node.end, settled);
  const { script } = node;
  if (script === undefined) addHole(node, check);
  else if (script.source !== undefined) {
    // Escaped backticks: the script counts in a text of its own, which is checked by itself.
    const inner = hasHoles(script.source, script, check.budget, check.work);
    check.holes.push(...inner.holes);
    check.isCut ||= inner.isCut;
    fill(check, node.pos, node.end, settled);
  } else visit(script, check, false, depth + 1);
}

/** Inner texts are lexed anew at every level, so their sum bounds the cost. */
function mayCover({ text }: { readonly text: string }, check: Marks): boolean {
  check.work.spend(text.length / 10);
  check.budget.covered += text.length;
  if (check.budget.covered <= limits.reparsedUnits) return true;
  check.isCut = true;
  return false;
}

function addHole({ pos, end }: { readonly pos: number; readonly end: number }, check: Marks): void {
  check.holes.push(check.source.slice(pos, end));
  fill(check, pos, end, settled);
}

function fill({ marks }: Marks, from: number, to: number, mark: number): void {
  for (let at = from; at < to; at += 1) marks[at] = (marks[at] ?? 0) | mark;
}

function clear({ marks }: Marks, from: number, to: number, mark: number): void {
  for (let at = from; at < to; at += 1) marks[at] = (marks[at] ?? 0) & ~mark;
}

/** True where only blanks stand before an opening bracket. */
function bracketAt(source: string, start: number): boolean {
  const behind = /(?:[ \t]|\\\n)*\(/y;
  behind.lastIndex = start;
  return behind.test(source);
}

function escaped(source: string, at: number): boolean {
  let slashes = 0;
  while (source[at - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

/** Comments are in no tree: a `#` at the start of a word that no word holds, and everything behind it on the line. */
function markComments(check: Marks): void {
  for (const match of check.source.matchAll(/(?<=^|[\s;&|()])#[^\n]*/g)) {
    if (((check.marks[match.index] ?? 0) & (inWord | settled)) === 0)
      fill(check, match.index, match.index + match[0].length, settled);
  }
}
