import type { Word as WordNode, WordPart } from "unbash";
import { mayReparse, opaque, tooDeep, type Walk } from "../walk/walk.ts";
import type { Atom } from "./atom.ts";
import { plainText, quotedText } from "./atom.ts";
import { visitArithmetic } from "./arithmetic.ts";
import type { Expansion } from "./expansion.ts";
import type { ShellState } from "../state/shell-state.ts";
import { hidesCode } from "./hides-code.ts";
import { printsNumber } from "./prints-number.ts";
import { expandParameter, expandVariable } from "./parameters.ts";

class WalkedExpansion implements Expansion {
  readonly state: ShellState;
  readonly walk: Walk;
  #assigned: Map<string, string | undefined> | undefined;

  constructor(state: ShellState, walk: Walk) {
    this.state = state;
    this.walk = walk;
  }

  get assigned(): ReadonlyMap<string, string | undefined> | undefined {
    return this.#assigned;
  }

  assign(name: string, guess: string | undefined): void {
    (this.#assigned ??= new Map()).set(name, guess);
  }

  flattenWord(word: WordNode): Atom[] {
    return flattenWord(word, this);
  }

  flattenQuoted(parts: readonly WordPart[]): Atom[] {
    return flattenParts(parts, this, true);
  }
}

/** An expansion that starts from `state`. */
export function expansionIn(state: ShellState, walk: Walk): Expansion {
  return new WalkedExpansion(state, walk);
}

/** Turns a word into atoms, walking every substitution in it once. */
export function flattenWord(word: WordNode, env: Expansion): Atom[] {
  return word.parts === undefined ? splitEscapes(word.text) : flattenParts(word.parts, env, false);
}

/** Turns parts into atoms. `quoted`: they stand inside double quotes or a here-document. */
export function flattenParts(parts: readonly WordPart[], env: Expansion, quoted: boolean): Atom[] {
  return parts.flatMap((part) => flattenPart(part, env, quoted));
}

function flattenPart(part: WordPart, env: Expansion, quoted: boolean): Atom[] {
  switch (part.type) {
    case "Literal":
      return quoted ? [quotedText(part.value)] : splitEscapes(part.text);
    case "SingleQuoted":
      return [quotedText(part.value)];
    case "AnsiCQuoted":
      return [ansiC(part.text, part.value)];
    case "DoubleQuoted":
    case "LocaleString":
      return doubleQuoted(flattenParts(part.parts, env, true));
    case "Glob":
      if (part.kind !== "bracket") return [plainText(part.text)];
      return [plainText("["), ...flattenParts(part.parts, env, false), plainText("]")];
    case "ExtendedGlob":
      // Without extglob bash refuses these; with it they match at most what a star matches.
      if (part.parts !== undefined) flattenParts(part.parts, env, false);
      return [plainText("*")];
    case "BraceExpansion":
      if (part.parts === undefined) return splitEscapes(part.text);
      return [plainText("{"), ...flattenParts(part.parts, env, false), plainText("}")];
    case "SimpleExpansion":
      return expandVariable(part.text, part.text.slice(1), env, quoted);
    case "ParameterExpansion":
      return expandParameter(part, env, quoted);
    case "ArithmeticExpansion":
      if (mayReparse(env.walk, part.text)) visitArithmetic(part.expression, part.text, env);
      else tooDeep(env.walk, part.text, "substitutions go too deep");
      return [{ kind: "unknown", text: part.text, why: "it is computed", quoted, inert: true, number: true }];
    case "CommandExpansion": {
      const output = env.walk.steps.substitution(part, env.state, env.walk);
      const guess = output?.text.replace(/(?<!\n)\n+$/, "");
      const number = printsNumber(part.script, env.state);
      // The usual way to write a long message: `"$(cat <<'EOF' …)"` is as good as the text itself.
      if (quoted && guess !== undefined && output?.sure === true && !env.state.tainted && hereDocument.test(part.text))
        return [quotedText(guess)];
      return [
        {
          kind: "unknown",
          text: part.text,
          why: "it is the output of a command",
          quoted,
          inert: number || (output?.sure === true && !hidesCode(output.text)),
          ...(number && { number }),
          ...(guess !== undefined && { guess }),
        },
      ];
    }
    case "ProcessSubstitution": {
      const output = env.walk.steps.substitution(part, env.state, env.walk);
      const contents = output?.text;
      return [
        {
          kind: "unknown",
          text: part.text,
          why: "it is a pipe to another command",
          quoted: true,
          ...(contents !== undefined && { contents }),
        },
      ];
    }
    default:
      opaque(env.walk, "word", "a part of a word has a form that is not known", "syntax");
      return [{ kind: "unknown", text: "", why: "its form is not known", quoted }];
  }
}

/** Quotes keep an empty word, but `"$@"` alone may give none. */
function doubleQuoted(inner: Atom[]): Atom[] {
  return inner.length === 1 && inner[0]?.kind === "list" ? inner : [quotedText(""), ...inner];
}

const hereDocument = /^\$\(\s*cat\s*<</;

/** Unquoted text, the characters behind backslashes quoted. A backslash before a newline joins lines. */
function splitEscapes(text: string): Atom[] {
  if (!text.includes("\\")) return [plainText(text)];
  const atoms: Atom[] = [];
  for (const [piece] of text.matchAll(/\\[\s\S]|[^\\]+|\\$/g)) {
    if (piece === "\\\n") continue;
    if (piece.length > 1 && piece.startsWith("\\")) atoms.push(quotedText(piece.slice(1)));
    else atoms.push(piece === "\\" ? quotedText(piece) : plainText(piece));
  }
  return atoms;
}

/** The parser joins lines inside `$'…'`, bash does not: such a word is not known. */
function ansiC(text: string, value: string): Atom {
  if (/\\\n/.test(text))
    return { kind: "unknown", text, why: "it holds a line break behind a backslash", quoted: true };
  return quotedText(value);
}
