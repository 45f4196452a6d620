import { exhausted } from "../../model/exhausted.ts";
import { setHolds, setReader, type CharSet } from "./char-set.ts";

/** One component of a file pattern or of a path. `rest` is `**`: any number of components, none too. */
export type Component =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "glob"; readonly text: string; readonly tokens: readonly Token[] }
  | { readonly kind: "rest" };

/** What one place of a glob stands for. */
export type Token =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "one" }
  | { readonly kind: "many" }
  | CharSet;

const rest: Component = { kind: "rest" };

/** Reads one component: `*`, `?`, `[a-z]`, `[!a]`, a backslash before a character that is meant literally, and `**` alone. */
export function parseComponent(text: string): Component {
  if (text === "**") return rest;
  const tokens: Token[] = [];
  const chars = Array.from(text);
  const readSet = chars.includes("[") ? setReader(chars) : undefined;
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? "";
    if (char === "\\" && at + 1 < chars.length) {
      at += 1;
      tokens.push({ kind: "char", char: chars[at] ?? "" });
    } else if (char === "*") {
      if (tokens.at(-1)?.kind !== "many") tokens.push({ kind: "many" });
    } else if (char === "?") {
      tokens.push({ kind: "one" });
    } else {
      const found = char === "[" ? readSet?.(at) : undefined;
      tokens.push(found === undefined ? { kind: "char", char } : (found.set ?? { kind: "many" }));
      if (found !== undefined) at = found.set === undefined ? chars.length : found.end;
    }
  }
  if (tokens.every((token) => token.kind === "char"))
    return { kind: "literal", text: tokens.map((token) => (token.kind === "char" ? token.char : "")).join("") };
  return { kind: "glob", text, tokens };
}

/** True where the name is one that the component stands for. A glob also stands for its own text: a folder may be called `project[1]`. */
export function matchesComponent(component: Component, name: string): boolean {
  if (component.kind === "rest") return true;
  if (component.kind === "literal") return component.text === name;
  return component.text === name || tokensHold(component.tokens, name);
}

/** True where some name may be one that both components stand for. */
export function componentsMeet(a: Component, b: Component): boolean {
  if (a.kind === "rest" || b.kind === "rest") return true;
  if (a.kind === "literal") return matchesComponent(b, a.text);
  if (b.kind === "literal") return matchesComponent(a, b.text);
  return a.text === b.text || tokensMeet(a.tokens, b.tokens);
}

/** True where every name that `inner` stands for is certainly one of `outer`. May say false where it cannot tell. */
export function componentCovers(outer: Component, inner: Component): boolean {
  if (outer.kind === "rest") return true;
  if (inner.kind === "rest") return false;
  if (inner.kind === "literal") return matchesComponent(outer, inner.text);
  if (outer.kind === "literal") return false;
  return outer.text === inner.text || (outer.tokens.length === 1 && outer.tokens[0]?.kind === "many");
}

/** Whether a name is one of a token list: for `many` the leftmost place of what follows is always the best one, so only the last is ever moved. */
function tokensHold(tokens: readonly Token[], name: string): boolean {
  let at = 0;
  let index = 0;
  let many = -1;
  let from = 0;
  while (index < name.length) {
    const token = tokens[at];
    const size = sizeAt(name, index);
    if (token?.kind === "many") {
      many = at;
      from = index;
      at += 1;
    } else if (token !== undefined && stands(token, name, index, size)) {
      at += 1;
      index += size;
    } else if (many >= 0) {
      from += sizeAt(name, from);
      at = many + 1;
      index = from;
    } else return false;
  }
  while (tokens[at]?.kind === "many") at += 1;
  return at === tokens.length;
}

/** Units of the character that starts there; half of a surrogate pair counts as one. */
function sizeAt(name: string, index: number): number {
  return (name.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

function stands(token: Token, name: string, index: number, size: number): boolean {
  switch (token.kind) {
    case "char":
      return token.char.length === size && name.startsWith(token.char, index);
    case "set":
      return setHolds(token, name.slice(index, index + size));
    case "one":
    case "many":
      return true;
    default:
      return exhausted(token);
  }
}

/** Whether two token lists share a word: a table over both, so the cost is bounded by their product. */
function tokensMeet(a: readonly Token[], b: readonly Token[]): boolean {
  let row: boolean[] = startRow(b);
  for (const token of a) {
    const next: boolean[] = [token.kind === "many" && row[0] === true];
    for (const [at, other] of b.entries()) {
      const skip = (token.kind === "many" && row[at + 1] === true) || (other.kind === "many" && next[at] === true);
      const both =
        (token.kind === "many" && next[at] === true) ||
        (other.kind === "many" && row[at + 1] === true) ||
        (row[at] === true && share(token, other));
      next.push(skip || both);
    }
    row = next;
  }
  return row[b.length] === true;
}

function startRow(b: readonly Token[]): boolean[] {
  const row = [true];
  for (const token of b) row.push(row[row.length - 1] === true && token.kind === "many");
  return row;
}

/** Whether two tokens share a character. Two sets: assumed, unless both are single known characters. */
function share(a: Token, b: Token): boolean {
  if (a.kind === "char" && b.kind === "char") return a.char === b.char;
  if (a.kind === "char" && b.kind === "set") return setHolds(b, a.char);
  if (a.kind === "set" && b.kind === "char") return setHolds(a, b.char);
  return true;
}
