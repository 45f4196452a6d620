import type { DynamicWord, Word } from "../simple-command.ts";
import type { Atom, UnknownAtom } from "./atom.ts";

/** How a word's atoms become words. */
export interface FieldRules {
  /** Split the values of unquoted expansions at blanks. */
  readonly split: boolean;
  /** Glob characters are live. */
  readonly glob: boolean;
  /** False where IFS was changed: splitting a value is then not known. */
  readonly blanksSplit: boolean;
}

interface Field {
  value: string;
  pattern: string;
  parts: (string | undefined)[];
  unknown: UnknownAtom | undefined;
  /** True while all that is unknown is inert. */
  inert: boolean;
  /** True while all that is unknown is a number. */
  number: boolean;
  /** True where it stands even if it is empty. */
  kept: boolean;
}

/** Joins atoms to words. `source`: the word as it was written. */
export function fieldsOf(atoms: readonly Atom[], source: string, rules: FieldRules): Word[] {
  const [only] = atoms;
  if (atoms.length === 1 && only?.kind === "list") return [...only.items];
  const words: Word[] = [];
  let field = emptyField();
  const close = (): void => {
    if (field.kept || field.value !== "" || field.unknown !== undefined) words.push(wordOf(field, source, rules.glob));
    field = emptyField();
  };
  for (const atom of atoms) {
    switch (atom.kind) {
      case "text":
        add(field, atom.text, !atom.quoted);
        field.kept ||= atom.quoted || atom.text !== "";
        break;
      case "value":
        if (!rules.split) add(field, atom.text, false);
        else if (!rules.blanksSplit)
          addUnknown(field, { kind: "unknown", text: source, why: "IFS was changed", quoted: false });
        else addSplit(atom.text, (text) => add(field, text, true), close);
        break;
      case "match":
        if (rules.glob) {
          addPattern(field, atom.pattern);
          field.kept = true;
        } else addUnknown(field, { kind: "unknown", text: source, why: "it is the name of some file", quoted: true });
        break;
      case "list":
        addUnknown(field, { kind: "unknown", text: source, why: "it is joined to arguments", quoted: false });
        break;
      case "unknown":
        addUnknown(field, atom);
        break;
    }
  }
  close();
  return words;
}

/** Takes guesses for unknown atoms that have one; undefined where none has. */
export function guessed(atoms: readonly Atom[]): readonly Atom[] | undefined {
  if (!atoms.some((atom) => atom.kind === "unknown" && atom.guess !== undefined)) return undefined;
  return atoms.map((atom): Atom => {
    if (atom.kind !== "unknown" || atom.guess === undefined) return atom;
    return atom.quoted ? { kind: "text", text: atom.guess, quoted: true } : { kind: "value", text: atom.guess };
  });
}

function addSplit(text: string, put: (text: string) => void, close: () => void): void {
  text.split(/[ \t\n]+/).forEach((piece, index) => {
    if (index > 0) close();
    put(piece);
  });
}

function add(field: Field, text: string, live: boolean): void {
  field.value += text;
  field.pattern += live ? text : text.replace(/[*?[\]\\]/g, "\\$&");
  if (field.unknown === undefined) return;
  const last = field.parts.length - 1;
  if (field.parts[last] === undefined) field.parts.push(text);
  else field.parts[last] += text;
}

/** A pattern in a word that is not known anyway is one more unknown part. */
function addPattern(field: Field, pattern: string): void {
  if (field.unknown === undefined) {
    field.value += pattern;
    field.pattern += pattern;
    return;
  }
  field.parts.push(undefined);
  field.inert = false;
  field.number = false;
}

function addUnknown(field: Field, atom: UnknownAtom): void {
  if (field.unknown === undefined && field.value !== "") field.parts.push(field.value);
  field.unknown ??= atom;
  field.inert &&= atom.inert === true;
  field.number &&= atom.number === true;
  field.parts.push(undefined);
}

function wordOf(field: Field, source: string, glob: boolean): Word {
  const { unknown } = field;
  if (unknown !== undefined) {
    const contents = field.parts.length === 1 ? unknown.contents : undefined;
    const word: DynamicWord = {
      kind: "dynamic",
      text: source,
      parts: field.parts,
      why: unknown.why,
      ...(field.inert && { inert: true }),
      ...(field.number && { number: true }),
    };
    return contents === undefined ? word : { ...word, contents };
  }
  return glob && isGlob(field.pattern)
    ? { kind: "glob", pattern: field.pattern }
    : { kind: "literal", value: field.value };
}

/** True where a pattern holds a live `*`, `?` or a closed bracket. */
function isGlob(pattern: string): boolean {
  let bracket = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (character === "*" || character === "?") return true;
    else if (character === "[") bracket = true;
    else if (character === "]" && bracket) return true;
  }
  return false;
}

function emptyField(): Field {
  return { value: "", pattern: "", parts: [], unknown: undefined, inert: true, number: true, kept: false };
}
