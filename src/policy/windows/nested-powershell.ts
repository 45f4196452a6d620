const dash = /^[-/\u2013-\u2015]/;

/**
 * The texts that `powershell WORDS` may run (about_PowerShell_exe): behind -Command, decoded behind -EncodedCommand, first operand, or piped in.
 * Where it is not clear which word is the text, all candidates are given.
 */
export function powerShellTexts(words: readonly string[], name: string, piped: readonly string[]): readonly string[] {
  const at = words.findIndex(
    (word) => !dash.test(word) || word === "-" || /^[-/\u2013-\u2015](c|co\w*|e|ec|en\w*)$/i.test(word),
  );
  const word = words[at];
  if (word === undefined || word === "-") return piped;
  const rest = words.slice(at + 1);
  const flag = dash.test(word) ? word.slice(1).toLowerCase() : "";
  if (flag.startsWith("c")) return rest[0] === "-" ? piped : [rest.join(" ")];
  if (flag.startsWith("e")) return [decoded(rest[0] ?? "")];
  // The value of an option such as -ExecutionPolicy, or the text itself.
  return [...(name === "powershell" ? [words.slice(at).join(" ")] : []), ...powerShellTexts(rest, name, [])];
}

/** Base64 of UTF-16LE; empty where it is none. */
function decoded(text: string): string {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-16le").decode(bytes);
  } catch {
    return "";
  }
}
