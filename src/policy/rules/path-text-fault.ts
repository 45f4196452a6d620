import { setReader } from "./char-set.ts";

/**
 * Why a file pattern is refused as it is written; undefined: nothing speaks against it. What people write elsewhere and what would match nothing here is refused, for a denial that
 * never speaks is worse than a file that does not load.
 */
export function pathTextFault(text: string): string | undefined {
  if (text === "") return "a pattern must not be empty";
  if (text.includes("\0")) return "a pattern must not hold a NUL";
  if (/\[[^\]/]*\[[.=]/.test(text)) return "[.x.] and [=x=] mean something else in every locale: write the characters";
  if (text.startsWith("!"))
    return "a pattern is not turned round by !: put what it is not about into exclude, and a name that begins so after a backslash";
  const [, variable] = /^(\$(?:\{\w+\}|[A-Z_][A-Z0-9_]*))(?:\/|$)/.exec(text) ?? [];
  if (variable !== undefined && variable !== "$HOME" && variable !== "${HOME}")
    return `${variable} is not known here, only ~ and $HOME are: write the path, or a name that begins so after a backslash`;
  return backwardsRange(text) ? "a range in brackets goes from the lower to the higher character: [a-z]" : undefined;
}

function backwardsRange(text: string): boolean {
  return text.split("/").some((part) => {
    const chars = Array.from(part);
    const setAt = setReader(chars);
    for (let at = 0; at < chars.length; at += 1) {
      if (chars[at] === "\\") at += 1;
      else if (chars[at] === "[") {
        const found = setAt(at);
        if (found?.set?.ranges.some(([low, high]) => low > high) === true) return true;
        at = found?.end ?? at;
      }
    }
    return false;
  });
}
