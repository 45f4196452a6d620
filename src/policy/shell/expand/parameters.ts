import { exhausted } from "../../../model/exhausted.ts";
import type { ParameterExpansionPart, ParameterOperation, Word as WordNode } from "unbash";
import type { Word } from "../simple-command.ts";
import type { ShellState } from "../state/shell-state.ts";
import { mayExpand, mayReparse, opaque, tooDeep } from "../walk/walk.ts";
import type { Atom, UnknownAtom } from "./atom.ts";
import { quotedText } from "./atom.ts";
import { changedValue, type ChangeOperation, type Operands } from "./changed-value.ts";
import type { Expansion } from "./expansion.ts";
import { isInertAtom, reportEvaluated, reportEvaluatedWord } from "./evaluated.ts";
import { type Known, lookUp } from "./look-up.ts";
import { plainPattern, valuePattern } from "./value-pattern.ts";

/** The atoms of `$name`, `$1`, `$@` and the like. */
export function expandVariable(text: string, name: string, env: Expansion, quoted: boolean): Atom[] {
  if (/^[@*]$/.test(name)) return expandAll(text, env, quoted, name === "*");
  if (/^\d+$/.test(name)) return expandPositional(text, Number(name), env, quoted);
  const known = lookUp(name, env.state, env.walk);
  if (!mayExpand(env.walk, (known.value ?? known.guess ?? "").length)) return tooLong(text, env, quoted);
  // Without quotes a file name with blanks would become words that no pattern tells.
  if (known.match !== undefined && quoted) return [{ kind: "match", pattern: known.match }];
  return knownAtoms(text, known, quoted, "its value is not known");
}

function tooLong(text: string, { walk }: Expansion, quoted: boolean): Atom[] {
  opaque(walk, text, "values are used more often than can be followed", "unread");
  return [unknown(text, quoted, "it was not followed")];
}

/** The atoms of `${…}`. */
export function expandParameter(part: ParameterExpansionPart, env: Expansion, quoted: boolean): Atom[] {
  const { text, parameter } = part;
  if (!mayReparse(env.walk, text)) {
    tooDeep(env.walk, text, "substitutions go too deep");
    return [unknown(text, quoted, "it was not read")];
  }
  const { operation } = part;
  if (part.index !== undefined) reportEvaluatedWord(part.index, env);
  if (operation === undefined && part.prefix === undefined && part.index === undefined)
    return expandVariable(text, parameter, env, quoted);
  const operands = operation === undefined ? [] : operandsOf(operation, env);
  if (part.index !== undefined && part.prefix === undefined && operation === undefined)
    return [element(text, parameter, part.index.text, env)];
  if (part.prefix === "#" && operation === undefined) return lengthOf(text, parameter, env, quoted);
  if (part.prefix !== undefined || operation === undefined) {
    // `${!m[@]}` are an array's keys; every other `${!…}` is a name that stands in a variable.
    const keys = operation === undefined && part.index !== undefined && /^[@*]$/.test(part.index.text);
    if (part.prefix !== "#" && part.prefix !== undefined && !keys)
      opaque(env.walk, text, "it expands a name that is not known", "dynamic");
    return [unknown(text, quoted, "its value is not known")];
  }
  switch (operation.type) {
    case "Default":
      return expandDefault(text, parameter, operation.operator, env.flattenWord(operation.operand), env, quoted);
    case "Transform":
    case "Unknown":
    case "Names":
      opaque(env.walk, text, "the expansion rebuilds text that is not known", "dynamic");
      return [unknown(text, quoted, "it is built by an expansion")];
    case "Remove":
    case "Replace":
    case "Slice":
    case "CaseModification":
      return changed(text, parameter, operation, operands, env, quoted);
    default:
      return exhausted(operation);
  }
}

/** An element of an array, or all of them. What they may well be is known as text joined by blanks. */
function element(text: string, name: string, index: string, env: Expansion): Atom {
  const { value, guess, inert } = lookUp(name, env.state, env.walk);
  const all = value ?? guess;
  return unknown(
    text,
    false,
    "arrays are not followed",
    /^\d{1,4}$/.test(index) ? all?.split(" ")[Number(index)] : all,
    value !== undefined || inert === true,
  );
}

type DefaultOperator = Extract<ParameterOperation, { type: "Default" }>["operator"];

function expandDefault(
  text: string,
  name: string,
  operator: DefaultOperator,
  operand: readonly Atom[],
  env: Expansion,
  quoted: boolean,
): Atom[] {
  const { value, guess, inert: given } = knownOf(name, env);
  const otherwise = plainValue(operand);
  const missing = isMissing(name, env.state);
  const inert = (value !== undefined || given === true) && operand.every(isInertAtom);
  const usable = value !== undefined && (value !== "" || !operator.startsWith(":"));
  const unusable = missing || (value === "" && operator.startsWith(":"));
  if (operator.endsWith("=")) {
    if (!usable) {
      env.assign(name, otherwise);
      opaque(env.walk, text, "an expansion sets a variable", "dynamic");
    }
    return knownAtoms(
      text,
      usable ? { value, guess: undefined } : { value: undefined, guess: otherwise, inert },
      quoted,
      "it may be set here",
    );
  }
  if (operator.endsWith("+")) {
    if (unusable) return knownAtoms(text, { value: "", guess: undefined }, quoted, "");
    return knownAtoms(
      text,
      { value: usable ? otherwise : undefined, guess: otherwise, inert },
      quoted,
      "it depends on a variable",
    );
  }
  if (usable) return knownAtoms(text, { value, guess: undefined }, quoted, "");
  if (operator.endsWith("?"))
    return knownAtoms(text, { value: undefined, guess, inert }, quoted, "its value is not known");
  return knownAtoms(
    text,
    { value: unusable ? otherwise : undefined, guess: guess ?? otherwise, inert },
    quoted,
    "its value is not known",
  );
}

/** The text of an operand that is known to the last character. Tilde counts as the home folder elsewhere, so it stays as written. */
function plainValue(atoms: readonly Atom[]): string | undefined {
  let text = "";
  for (const atom of atoms) {
    if (atom.kind === "text" || atom.kind === "value") text += atom.text;
    else return undefined;
  }
  return text;
}

/** The value of a variable or an argument, cut or changed. What it may well be is changed the same way. */
function changed(
  text: string,
  name: string,
  operation: ChangeOperation,
  operands: Operands,
  env: Expansion,
  quoted: boolean,
): Atom[] {
  const why = "it is cut or changed by an expansion";
  // What a pattern cuts off what the environment gave depends on how that is spelled there.
  if (isGiven(name, env.state) && operands.some(hasWildcards)) return [unknown(text, quoted, why)];
  const known = knownOf(name, env);
  const cut = known.match === undefined ? undefined : cutMatch(operation, known.match, operands);
  if (cut !== undefined && quoted) return [{ kind: "match", pattern: cut }];
  const change = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : changedValue(operation, value, operands, env.walk.work);
  const value = change(known.value);
  const guess = value === undefined ? (change(known.guess) ?? known.value ?? known.guess) : undefined;
  if (!mayExpand(env.walk, (value ?? guess ?? "").length)) return tooLong(text, env, quoted);
  return knownAtoms(text, { value, guess, inert: known.value !== undefined || known.inert }, quoted, why);
}

/** The pattern of a file's name without its known end (`${f%.txt}` of `*.txt`) or without its folder. Undefined: it cannot be told. */
function cutMatch(operation: ChangeOperation, match: string, [operand = []]: Operands): string | undefined {
  if (operation.type !== "Remove") return undefined;
  const text = plainValue(operand);
  if (operation.operator === "##" && text === "*/") return match.slice(match.lastIndexOf("/") + 1);
  if (!operation.operator.startsWith("%") || text === undefined || !/^[\w.-]+$/.test(text)) return undefined;
  const rest = match.slice(0, -text.length);
  return match.endsWith(text) && /[*\w]$/.test(rest) && !/[[\]\\?]/.test(match) ? rest : undefined;
}

function lengthOf(text: string, name: string, env: Expansion, quoted: boolean): Atom[] {
  const { value } = knownOf(name, env);
  // oxlint-disable-next-line no-control-regex -- anything outside ASCII counts.
  const length = value === undefined || /[^\x00-\x7f]/.test(value) ? undefined : String(value.length);
  return knownAtoms(text, { value: length, guess: undefined, inert: true, number: true }, quoted, "it is a length");
}

/** True for an argument that surely was not given. */
function isMissing(name: string, { positional }: ShellState): boolean {
  return /^\d+$/.test(name) && positional !== undefined && Number(name) >= positional.length;
}

/** What is known of a variable or of one argument. */
function knownOf(name: string, { state, walk }: Expansion): Known {
  if (/^[A-Za-z_]\w*$/.test(name)) return lookUp(name, state, walk);
  const word = /^\d+$/.test(name) ? state.positional?.[Number(name)] : undefined;
  return { value: word === undefined ? undefined : literalOf(word), guess: undefined };
}

/** True for a variable that the text did not set. */
function isGiven(name: string, { variables }: ShellState): boolean {
  return !/^\d+$/.test(name) && !variables.has(name);
}

function hasWildcards(operand: readonly Atom[]): boolean {
  const pattern = valuePattern(operand);
  return pattern === undefined || plainPattern(pattern) === undefined;
}

/** Walks the operands, and gives what they become. */
function operandsOf(operation: ParameterOperation, env: Expansion): Operands {
  switch (operation.type) {
    case "Remove":
    case "Transform":
      return [env.flattenWord(operation.operand)];
    case "CaseModification":
      return operation.operand === undefined ? [] : [env.flattenWord(operation.operand)];
    case "Replace":
      return [env.flattenWord(operation.pattern), env.flattenWord(operation.replacement)];
    case "Slice":
      return [operation.offset, operation.length].flatMap((word) =>
        word === undefined ? [] : [evaluatedOperand(word, env)],
      );
    case "Default":
    case "Names":
    case "Unknown":
      return [];
    default:
      return exhausted(operation);
  }
}

function evaluatedOperand(word: WordNode, env: Expansion): Atom[] {
  const atoms = env.flattenWord(word);
  reportEvaluated(word.text, atoms, env);
  return atoms;
}

function expandAll(text: string, env: Expansion, quoted: boolean, star: boolean): Atom[] {
  const items = env.state.positional?.slice(1);
  if (items === undefined) return [unknown(text, quoted, "the arguments are not known")];
  if (!mayExpand(env.walk, items.length * 8)) return tooLong(text, env, quoted);
  if (quoted && !star) return [{ kind: "list", items }];
  const values = items.map(literalOf);
  if (values.includes(undefined))
    return quoted ? [unknown(text, quoted, "the arguments are not known")] : [{ kind: "list", items }];
  return quoted ? [quotedText(values.join(" "))] : [{ kind: "value", text: values.join(" ") }];
}

function expandPositional(text: string, index: number, env: Expansion, quoted: boolean): Atom[] {
  const { positional } = env.state;
  if (positional === undefined) return [unknown(text, quoted, "the arguments are not known")];
  const word = positional[index];
  if (word === undefined) return quoted ? [quotedText("")] : [];
  const value = literalOf(word);
  if (value === undefined) return [{ kind: "list", items: [word] }];
  return knownAtoms(text, { value, guess: undefined }, quoted, "");
}

function literalOf(word: Word): string | undefined {
  return word.kind === "literal" ? word.value : undefined;
}

function knownAtoms(text: string, { value, guess, inert, number }: Known, quoted: boolean, why: string): Atom[] {
  if (value === undefined) return [{ ...unknown(text, quoted, why, guess, inert), ...(number === true && { number }) }];
  return quoted ? [quotedText(value)] : value === "" ? [] : [{ kind: "value", text: value }];
}

function unknown(text: string, quoted: boolean, why: string, guess?: string, inert = false): UnknownAtom {
  return { kind: "unknown", text, why, quoted, ...(inert && { inert }), ...(guess !== undefined && { guess }) };
}
