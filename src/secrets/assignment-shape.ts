import { alphabet, alphanumeric, plainValue, runEnd, skipBlanks, wordLike } from "./alphabet.ts";
import { nothing, strike, type Found, type Shape } from "./shape.ts";

const firstOfWord = alphabet(alphanumeric, true);
const identifier = alphabet(`${alphanumeric}_-`);

/** Shortest value that is struck: shorter ones are flags and numbers. */
const shortest = 4;

/** A named secret with its value: `password=…`, `"api_key": "…"`, `--token …`. The name may have more in front of it, as in `DB_PASSWORD`. */
export const assignmentShape: Shape = {
  id: "named",
  literals: [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "api-key",
    "apikey",
    "access_key",
    "access-key",
    "accesskey",
    "secret_key",
    "secret-key",
    "secretkey",
    "private_key",
    "private-key",
    "privatekey",
    "accountkey",
    "credential",
    "credentials",
  ],
  anyCase: true,
  look(text, at, after) {
    if (wordLike.has(text.charCodeAt(after))) return nothing(after);
    const afterName = skipQuote(text, after);
    const afterBlank = skipBlanks(text, afterName);
    const value = skipSeparator(text, afterBlank);
    if (value > afterBlank) return strikeValue(text, value, afterBlank > afterName);
    return afterBlank > afterName && isOption(text, at) ? strikeValue(text, afterBlank, true) : nothing(after);
  },
};

function strikeValue(text: string, at: number, apartBefore: boolean): Found {
  const afterBlank = skipBlanks(text, at);
  const from = skipQuote(text, afterBlank);
  const apart = apartBefore || afterBlank > at;
  // Where a blank stands between name and value, a shell would see a word of its own: paths and options stay visible.
  if (apart && from === afterBlank && !firstOfWord.has(text.charCodeAt(from))) return nothing(from);
  const end = runEnd(text, from, plainValue);
  if (end - from >= shortest && apart && from === afterBlank && isCode(text, from, end)) return nothing(end);
  return end - from < shortest ? nothing(end) : strike(from, end);
}

/** Longest word that is looked at as one of a programming language. */
const longestCode = 80;
const keyword =
  /^(?:await|async|function|new|null|true|false|undefined|none|string|number|boolean|required|optional)$/i;
const member = /^[A-Za-z_]+(?:\.[A-Za-z_]+)+$/;

/** True for what stands in source text where a value would: a keyword, a member such as `process.env.TOKEN`, a call. */
function isCode(text: string, from: number, end: number): boolean {
  if (end - from > longestCode) return false;
  const value = text.slice(from, end);
  return keyword.test(value) || member.test(value) || (text[end] === "(" && /^[\w.]+$/.test(value));
}

/** Index after `"`, `'` or either with a backslash in front, as in JSON within JSON. */
function skipQuote(text: string, at: number): number {
  const quote = text[at] === "\\" ? at + 1 : at;
  return text[quote] === '"' || text[quote] === "'" ? quote + 1 : at;
}

function skipSeparator(text: string, at: number): number {
  for (const separator of [":=", "=>", "==", "=", ":"])
    if (text.startsWith(separator, at)) return at + separator.length;
  return at;
}

/** True where the name is that of a long option, such as `--github-token`. */
function isOption(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && start > at - 40 && identifier.has(text.charCodeAt(start - 1))) start -= 1;
  return text.startsWith("--", start) && (start === 0 || /[\s"'=(]/.test(text[start - 1] ?? ""));
}
