/** Options of powershell and pwsh that take a value, besides those that bring code (about_Powershell_exe, about_Pwsh). */
const valued = [
  "executionpolicy",
  "ep",
  "ex",
  "windowstyle",
  "w",
  "version",
  "v",
  "inputformat",
  "if",
  "outputformat",
  "of",
  "o",
  "configurationname",
  "configurationfile",
  "config",
  "custompipename",
  "settingsfile",
  "settings",
  "workingdirectory",
  "wd",
  "wo",
  "psconsolefile",
  "encodedarguments",
  "ea",
  "sshservermode",
];

/** What a call of powershell runs. */
interface PowerShellCall {
  /** Texts to look at. Where it is not clear which word is the text, all candidates are given. */
  readonly texts: readonly string[];
  /** Why not all of it is known. */
  readonly why: string | undefined;
  /** Where it starts, if it says so. */
  readonly folder?: string;
}

const dash = /^(?:--|[-/\u2013-\u2015])(?=.)/;

/** Reads the words of `powershell …`: its texts, and where it starts. */
export function powerShellCall(words: readonly (string | undefined)[], piped: readonly string[]): PowerShellCall {
  let folder: string | undefined;
  const call = textsOfCall(words, piped, (value) => (folder = value));
  return folder === undefined ? call : { ...call, folder };
}

/** Its texts: behind -Command, decoded behind -EncodedCommand, first operand, or piped in. */
function textsOfCall(
  words: readonly (string | undefined)[],
  piped: readonly string[],
  startsIn: (folder: string) => void,
): PowerShellCall {
  const unknown = words.includes(undefined) ? "a word is not known before it runs" : undefined;
  const known = words.map((word) => word ?? "");
  for (let at = 0; at < known.length; at += 1) {
    const word = known[at] ?? "";
    const rest = known.slice(at + 1);
    if (!dash.test(word) || word === "-") return operand(known.slice(at), piped, unknown);
    const [flag = "", glued] = word.replace(dash, "").toLowerCase().split(/:(.*)/s);
    const follows = glued === undefined || glued === "" ? rest : [word.slice(word.indexOf(":") + 1), ...rest];
    if (isPrefix(flag, "command", 1) || isPrefix(flag, "commandwithargs", 8) || flag === "cwa") {
      if (follows[0] === "-") return { texts: piped, why: unknown ?? "it reads its commands from its input" };
      return { texts: [follows.join(" ")], why: unknown };
    }
    if (isPrefix(flag, "encodedcommand", 1) || flag === "ec") {
      const text = decoded(follows[0] ?? "");
      return {
        texts: text === undefined ? [] : [text],
        why: text === undefined ? "its text cannot be decoded" : unknown,
      };
    }
    if (isPrefix(flag, "file", 1)) {
      if (follows[0] === "-") return { texts: piped, why: unknown ?? "it reads its commands from its input" };
      return { texts: [], why: "it runs a script file" };
    }
    if (flag === "wd" || isPrefix(flag, "workingdirectory", 2)) startsIn(glued ?? rest[0] ?? "");
    if (valued.some((name) => (name.length > 3 ? isPrefix(flag, name, 2) : flag === name)) && glued === undefined)
      at += 1;
  }
  return { texts: piped, why: unknown ?? (piped.length > 0 ? undefined : "it reads its commands from its input") };
}

/** `powershell TEXT`; to pwsh it is a file, and what it says is looked at all the same. An option that is not known may have taken the first word. */
function operand(words: readonly string[], piped: readonly string[], unknown: string | undefined): PowerShellCall {
  if (words[0] === "-") return { texts: piped, why: unknown ?? "it reads its commands from its input" };
  return { texts: [words.join(" ")], why: unknown };
}

function isPrefix(flag: string, name: string, least: number): boolean {
  return flag.length >= least && name.startsWith(flag);
}

/** Base64 of UTF-16LE, as -EncodedCommand takes it; undefined where it is none. */
export function decoded(text: string, encoding: "utf-16le" | "utf-8" = "utf-16le"): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(text.replace(/^"(.*)"$/s, "$1")), (character) => character.charCodeAt(0));
    return new TextDecoder(encoding).decode(bytes).replace(/^\ufeff/, "");
  } catch {
    return undefined;
  }
}
