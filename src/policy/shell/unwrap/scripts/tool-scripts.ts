import { quote } from "shell-quote";
import { readSedScript } from "../../programs/sed-script.ts";
import { findAll, optionValues } from "./option-values.ts";

/** Commands of awk programs: what they give to system(), read from or write to a pipe, or name in a variable for that. */
export function awkScripts(texts: readonly string[]): string[] {
  const direct = findAll(
    texts,
    /system\s*\(\s*("(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)|("(?:[^"\\]|\\.)*")\s*\|&?\s*getline|\|&?\s*("(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)/g,
  ).map(joinedStrings);
  const named = new Set(
    findAll(texts, /(?:system\s*\(\s*|\|&?\s*)\b([A-Za-z_]\w*)|\b([A-Za-z_]\w*)\s*\|&?\s*getline/g),
  );
  const values = texts.flatMap((text) =>
    Array.from(text.matchAll(/\b([A-Za-z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"/g)).flatMap(([, name = "", value = ""]) =>
      named.has(name) ? [unescaped(value)] : [],
    ),
  );
  return [...direct, ...values];
}

/** String constants that stand beside each other are one text. */
function joinedStrings(text: string): string {
  return Array.from(text.matchAll(/"((?:[^"\\]|\\.)*)"/gs), ([, inside = ""]) => unescaped(inside)).join("");
}

const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** What a string constant of awk, C and their like stands for. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|([\s\S]))/g, (_, octal, hex, other) => {
    if (typeof octal === "string") return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (typeof hex === "string") return String.fromCharCode(Number.parseInt(hex, 16));
    return controls[String(other)] ?? String(other);
  });
}

/** What AppleScript gives to a shell. */
export function appleScripts(texts: readonly string[]): string[] {
  return findAll(texts, /do shell script\s+"((?:[^"\\]|\\.)*)"/g).map(unescaped);
}

/** What sed's command and flag `e` run. */
export function sedScripts(words: readonly string[]): string[] {
  const scripts = [
    ...words.filter((word) => !word.startsWith("-")),
    ...optionValues(words, { short: "e", valued: "fil", long: ["expression"] }),
  ];
  return scripts.flatMap((script) => readSedScript(script).scripts);
}

/** `!command` of vi and its kin, and what their scripts give to system(). */
export function editorScripts(texts: readonly string[]): string[] {
  return [
    ...findAll(
      texts,
      /(?:^|[:+\n|]|\b(?:silent|sil|exe|execute|r|read|w|write|term|terminal)\b)[ \t%\d,.$'<>"]{0,40}!+[ \t]*([^\n]*)/g,
    ),
    ...findAll(texts, /\b(?:system|systemlist|jobstart|job_start|termopen)\s*\(\s*["']([^"']*)["']/g),
    ...findAll(texts, /\b(?:term|terminal)\s+([^\n]*)/g),
  ];
}

/** `+!command` of less and its kin. */
export function pagerScripts(words: readonly string[]): string[] {
  return findAll(words, /^\+{1,2}!([\s\S]*)$/g);
}

/** Programs that man shows its pages with. */
export function manScripts(words: readonly string[]): string[] {
  return optionValues(words, { short: "PH", valued: "CRLmMSserETXp", long: ["pager", "html"] });
}

/** Variables of make that name programs which its rules start. */
const makePrograms = /^(?:SHELL|MAKE|CC|CXX|CPP|LD|AR|AS|NM|RANLIB|RM|CP|MV|LN|INSTALL|MKDIR)[:?+]?=([\s\S]*)$/;

/** Recipes and shell calls of makefiles that stand in the words or in the input, and programs that the words set. */
export function makeScripts(words: readonly string[], makefiles: readonly string[]): string[] {
  const texts = [...optionValues(words, { short: "E", valued: "CfIjlWo", long: ["eval"] }), ...makefiles];
  return [
    ...words.flatMap((word) => makePrograms.exec(word)?.[1] ?? []),
    ...findAll(texts, /\$[({]shell\s+([^)}]{0,2000})/g),
    ...texts.flatMap((text) => text.split("\n").flatMap(inlineRecipe)),
    ...findAll(texts, /^\t([^\n]*)/gm),
    ...findAll(texts, /^[^:=\n]*!=([^\n]*)/gm),
  ].map((script) => script.replace(/^[\s@+-]+/, ""));
}

/** `target: prerequisites ; recipe` on one line of a makefile. */
function inlineRecipe(line: string): string[] {
  const colon = line.indexOf(":");
  const end = line.indexOf(";", colon);
  const isRule = colon > 0 && end > 0 && !/^[\t#]/.test(line) && !line.slice(colon, end).includes("=");
  return isRule ? [line.slice(end + 1)] : [];
}

/** Programs that a CMake script starts. */
export function cmakeScripts(texts: readonly string[]): string[] {
  return findAll(texts, /\bCOMMAND\s+([^)]{0,2000})/g);
}

/** Commands of the shells around databases that start programs. */
export function databaseScripts(name: string, words: readonly string[], fed: string): string[] {
  const texts = [...words, fed];
  switch (name) {
    case "sqlite3":
      return [
        ...findAll(texts, /(?:^|\n)[ \t]*\.(?:shell|system)[ \t]+([^\n]*)/g),
        ...findAll(texts, /(?:^|\n)[ \t]*\.(?:once|output|import)[ \t]+(?:-\w+[ \t]+)*["']?\|([^\n"']*)/g),
      ];
    case "psql":
      return [
        ...findAll(texts, /\\!\s*([^\n]*)/g),
        ...findAll(texts, /\bprogram\s+'((?:[^']|'')*)'/gi),
        ...findAll(texts, /\\(?:o|out|g|gx|w|write)\s*\|([^\n]*)/g),
      ];
    default:
      return [
        ...findAll(texts, /(?:^|[;\n])[ \t]*(?:system|\\!|pager|\\P)[ \t]+([^;\n]*)/g),
        ...optionValues(words, { long: ["pager"] }),
      ];
  }
}

/** Programs that Tcl and Expect scripts start. */
export function tclScripts(texts: readonly string[]): string[] {
  return findAll(texts, /(?:^|[;[{\n"])[ \t]*(?:spawn|exec|system|overlay)[ \t]+(?:-\w+[ \t]+)*([^\n;\]}]*)/g);
}

/** Programs that commands of a debugger start. */
export function debuggerScripts(words: readonly string[], fed: string): string[] {
  const texts = [...words, ...fed.split("\n")];
  return findAll(texts, /(?:^|=)\s*(?:(?:platform\s+)?shell\s+|!|pipe\s[^|]{0,500}\||\|[^|]{0,500}\|)\s*([\s\S]*)$/g);
}

/** What `fd` starts for the files that it finds: all words behind `-x` or `-X`, up to a `;`. */
export function foundScripts(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /^(-[xX]|--exec|--exec-batch)$/.test(word));
  return at < 0 ? [] : [quote(words.slice(at + 1).filter((word) => word !== ";"))];
}
