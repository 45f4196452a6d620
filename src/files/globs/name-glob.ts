import { type CharTest, parseCharClass } from "./char-class.ts";

/** A pattern for one component of a path: `*`, `?`, `[a-z]` and `\`. */
export type NameGlob =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "tokens"; readonly tokens: readonly Token[] };

/** What stands for one character, or `*`. */
type Token = "star" | CharTest;

/** Reads a pattern. Undefined for one that names nothing: a class that is not closed, or a backslash at its end. */
export function parseNameGlob(text: string): NameGlob | undefined {
  const characters = Array.from(text);
  const tokens: Token[] = [];
  let literal: string | undefined = "";
  for (let at = 0; at < characters.length;) {
    const character = characters[at] ?? "";
    if (character === "*") {
      if (tokens.at(-1) !== "star") tokens.push("star");
      literal = undefined;
      at += 1;
    } else if (character === "?") {
      tokens.push(() => true);
      literal = undefined;
      at += 1;
    } else if (character === "[") {
      const found = parseCharClass(characters, at);
      if (found === undefined) return undefined;
      tokens.push(found.test);
      literal = undefined;
      at = found.end;
    } else {
      const meant = character === "\\" ? characters[at + 1] : character;
      if (meant === undefined) return undefined;
      tokens.push((found) => found === meant);
      literal = literal === undefined ? undefined : literal + meant;
      at += character === "\\" ? 2 : 1;
    }
  }
  return literal === undefined ? { kind: "tokens", tokens } : { kind: "literal", text: literal };
}

/**
 * Matches a whole name. Only the last `*` is ever taken back, so the cost is at most the pattern's length times the name's, whatever the pattern: a regular expression made
 * of a hostile pattern could take for ever.
 */
export function matchesName(glob: NameGlob, name: string): boolean {
  if (glob.kind === "literal") return glob.text === name;
  const { tokens } = glob;
  // By code points; most names have one unit for each.
  const characters: ArrayLike<string> = /[\ud800-\udbff]/.test(name) ? Array.from(name) : name;
  let [at, token] = [0, 0];
  let [resumeAt, resumeToken] = [0, -1];
  while (at < characters.length) {
    const now = tokens[token];
    if (now === "star") {
      [resumeAt, resumeToken] = [at, token];
      token += 1;
    } else if (now?.(characters[at] ?? "") === true) {
      at += 1;
      token += 1;
    } else if (resumeToken >= 0) {
      resumeAt += 1;
      [at, token] = [resumeAt, resumeToken + 1];
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === "star");
}
