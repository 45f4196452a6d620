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
  | { readonly kind: "set"; readonly negated: boolean; readonly ranges: readonly (readonly [number, number])[] };

const rest: Component = { kind: "rest" };

/** Reads one component: `*`, `?`, `[a-z]`, `[!a]`, a backslash before a character that is meant literally, and `**` alone. */
export function parseComponent(text: string): Component {
  if (text === "**") return rest;
  const tokens: Token[] = [];
  const chars = Array.from(text);
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
      const set = char === "[" ? readSet(chars, at) : undefined;
      if (set !== undefined) at = set.end;
      tokens.push(set === undefined ? { kind: "char", char } : set.token);
    }
  }
  if (tokens.every((token) => token.kind === "char"))
    return { kind: "literal", text: tokens.map((token) => (token.kind === "char" ? token.char : "")).join("") };
  return { kind: "glob", text, tokens };
}

/** A bracket expression that starts at `start`; undefined where it is not closed: then `[` is a plain character. */
function readSet(chars: readonly string[], start: number): { token: Token; end: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === "!" || chars[at] === "^";
  if (negated) at += 1;
  const ranges: [number, number][] = [];
  for (let first = true; ; first = false) {
    let char = chars[at];
    if (char === undefined) return undefined;
    if (char === "]" && !first) break;
    if (char === "\\") char = chars[(at += 1)];
    if (char === undefined) return undefined;
    const low = char.codePointAt(0) ?? 0;
    const after = chars[at + 2];
    if (chars[at + 1] === "-" && after !== undefined && after !== "]") {
      ranges.push([low, after.codePointAt(0) ?? 0]);
      at += 3;
    } else {
      ranges.push([low, low]);
      at += 1;
    }
  }
  return { token: { kind: "set", negated, ranges }, end: at };
}

/** True where the name is one that the component stands for. A glob also stands for its own text: a folder may be called `project[1]`. */
export function matchesComponent(component: Component, name: string): boolean {
  if (component.kind === "rest") return true;
  if (component.kind === "literal") return component.text === name;
  return component.text === name || tokensMeet(component.tokens, Array.from(name, charToken));
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

function charToken(char: string): Token {
  return { kind: "char", char };
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
  if (a.kind === "char" && b.kind === "set") return inSet(b, a.char);
  if (a.kind === "set" && b.kind === "char") return inSet(a, b.char);
  return true;
}

function inSet(set: Extract<Token, { kind: "set" }>, char: string): boolean {
  const point = char.codePointAt(0) ?? 0;
  return set.ranges.some(([low, high]) => point >= low && point <= high) !== set.negated;
}
