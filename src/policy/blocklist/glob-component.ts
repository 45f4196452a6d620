/** What one place of a pattern matches: any run of characters, or one character that passes a test. */
type Token = "star" | ((character: string) => boolean);

/**
 * True where a shell pattern for one path component (`*`, `?`, brackets, backslashes) matches a name. Goes back to the last star only, so the
 * cost is at most the product of both lengths.
 */
export function matchesComponent(pattern: string, name: string): boolean {
  return componentMatcher(pattern)(name);
}

/** The test of matchesComponent for many names. */
export function componentMatcher(pattern: string): (name: string) => boolean {
  const tokens = tokensOf(pattern);
  return (name) => matchesTokens(tokens, name);
}

function matchesTokens(tokens: readonly Token[], name: string): boolean {
  let at = 0;
  let token = 0;
  let star = -1;
  let resume = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current === "star") {
      star = token;
      resume = at;
      token += 1;
    } else if (current?.(name[at] ?? "") === true) {
      at += 1;
      token += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      token = star + 1;
    } else return false;
  }
  while (tokens[token] === "star") token += 1;
  return token === tokens.length;
}

/** True where a component matches most names: stars, question marks and brackets, perhaps behind one dot. */
export function matchesMost(component: string): boolean {
  if (!component.includes("*")) return false;
  const rest = component.replace(/\[(?:\\.|[^\]\\])*\]/g, "").replace(/[*?]/g, "");
  return rest === "" || rest === ".";
}

/** True where a component holds a live glob character. */
export function isPattern(component: string): boolean {
  return /(^|[^\\])(\\\\)*[*?[]/.test(component);
}

/** The text that a component without live glob characters stands for. */
export function plainComponent(component: string): string {
  return component.replace(/\\(.)/gs, "$1");
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? "";
    if (character === "\\") {
      at += 1;
      tokens.push(exactly(pattern[at] ?? "\\"));
    } else if (character === "*") tokens.push("star");
    else if (character === "?") tokens.push(() => true);
    else if (character === "[") {
      const close = closing(pattern, at);
      tokens.push(close < 0 ? exactly("[") : bracket(pattern.slice(at + 1, close)));
      if (close >= 0) at = close;
    } else tokens.push(exactly(character));
  }
  return tokens;
}

function exactly(expected: string): Token {
  return (character) => character === expected;
}

function closing(pattern: string, open: number): number {
  let at = open + 1;
  if (pattern[at] === "!" || pattern[at] === "^") at += 1;
  if (pattern[at] === "]") at += 1;
  for (; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern[at] === "[" && pattern[at + 1] === ":") at = Math.max(at, pattern.indexOf(":]", at + 2) + 1);
    else if (pattern[at] === "]") return at;
  }
  return -1;
}

/** A bracket with a character class counts as any character. */
function bracket(inside: string): Token {
  if (inside.includes("[")) return () => true;
  const negated = /^[!^]/.test(inside);
  const members = (negated ? inside.slice(1) : inside).replace(/\\(.)/gs, "$1");
  return (character) => isMember(members, character) !== negated;
}

function isMember(members: string, character: string): boolean {
  for (let at = 0; at < members.length; at += 1) {
    const low = members[at] ?? "";
    const high = members[at + 1] === "-" && at + 2 < members.length ? (members[at + 2] ?? "") : low;
    if (character >= low && character <= high) return true;
    if (high !== low || members[at + 1] === "-") at += high === low ? 0 : 2;
  }
  return false;
}
