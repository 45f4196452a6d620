import { decoded } from "../programs/powershell-call.ts";
import { joinAll } from "./operators.ts";
import { gathered, replacedText, text, textOf, type Value } from "./value.ts";

/** Looks a variable up. */
type Lookup = (name: string) => Value;

/** A property of a value. What is listed is its path, so that the names of files' paths give it back. */
export function readProperty(value: Value, name: string): Value {
  if (value?.kind === "table") return value.entries.get(name);
  if (value?.kind === "list" && name !== "count" && name !== "length")
    return { kind: "list", items: value.items.map((item) => readProperty(item, name)) };
  if (value?.kind === "type") return value.name.endsWith("encoding") ? { kind: "type", name } : undefined;
  if (value?.kind !== "text") return undefined;
  switch (name) {
    case "fullname":
    case "pspath":
    case "path":
    case "providerpath":
    case "value":
    case "definition":
    case "source":
    case "target":
      return value;
    case "root":
    case "rootdirectory":
      return /^[a-z?]:/i.test(value.text) ? text(`${value.text.slice(0, 2)}\\`) : undefined;
    case "name":
    case "pschildname":
      if (/^[a-z?]:\\?$/i.test(value.text)) return value;
      return text(value.text.slice(Math.max(value.text.lastIndexOf("\\"), value.text.lastIndexOf("/")) + 1));
    case "length":
      return text(`${value.text.length}`);
    default:
      return undefined;
  }
}

/** The result of a method that only computes; undefined for all others. */
export function callMember(value: Value, name: string, words: readonly Value[], variable: Lookup): Value {
  if (value?.kind === "type") return callStatic(value.name.replace(/^system\./, ""), name, words, variable);
  const whole = value?.kind === "text" ? value.text : undefined;
  const [a, b] = words.map(textOf);
  // `$ExecutionContext.InvokeCommand.GetCommand('ls', 'Cmdlet')` is what it names.
  if (/^get(command|cmdlet)$/.test(name) && a !== undefined) return text(a);
  if (whole === undefined) return name === "tostring" || name === "toarray" ? value : undefined;
  switch (name) {
    case "tostring":
      return value;
    case "tolower":
    case "tolowerinvariant":
      return text(whole.toLowerCase());
    case "toupper":
    case "toupperinvariant":
      return text(whole.toUpperCase());
    case "trim":
      return words.length === 0 ? text(whole.trim()) : undefined;
    case "replace":
      return a === undefined || b === undefined || a === "" ? undefined : replacedText(whole, a, () => b);
    case "insert":
      return a === undefined || b === undefined
        ? undefined
        : text(whole.slice(0, Number(a)) + b + whole.slice(Number(a)));
    case "remove":
      return a === undefined
        ? undefined
        : text(whole.slice(0, Number(a)) + (b === undefined ? "" : whole.slice(Number(a) + Number(b))));
    case "substring":
      return a === undefined
        ? undefined
        : text(b === undefined ? whole.slice(Number(a)) : whole.slice(Number(a), Number(a) + Number(b)));
    case "split":
      return a === undefined || a === "" ? undefined : gathered(whole.split(a).map(text));
    case "tochararray":
      return { kind: "list", items: whole.split("").map(text) };
    default:
      return undefined;
  }
}

function callStatic(type: string, name: string, words: readonly Value[], variable: Lookup): Value {
  if (name === "getstring") return encodedText(type, words[0]);
  if (type === "string" && name === "concat") return joinAll({ kind: "list", items: words }, "");
  if (type === "string" && name === "join") return joinAll({ kind: "list", items: words.slice(1) }, textOf(words[0]));
  const texts = words.map(textOf);
  const [a] = texts;
  if (type === "io.driveinfo" && name === "getdrives") return text("?:\\");
  if (a === undefined || texts.includes(undefined)) return undefined;
  switch (`${type}.${name}`) {
    case "io.path.combine":
      return text(texts.join("\\"));
    case "io.path.getpathroot":
      return text(`${/^[a-z]:/i.exec(a)?.[0] ?? ""}\\`);
    case "convert.frombase64string":
      return { kind: "table", entries: new Map([["base64", text(a)]]) };
    case "environment.getenvironmentvariable":
      return variable(`env:${a.toLowerCase()}`);
    case "environment.expandenvironmentvariables":
      return expanded(a, variable);
    case "environment.getfolderpath":
      return specialFolder(a.toLowerCase(), variable);
    default:
      return undefined;
  }
}

function expanded(source: string, variable: Lookup): Value {
  const names = Array.from(source.matchAll(/%([^%]+)%/g), ([, name = ""]) => name.toLowerCase());
  if (names.some((name) => textOf(variable(`env:${name}`)) === undefined)) return undefined;
  return replacedText(source, /%([^%]+)%/g, (_, name = "") => textOf(variable(`env:${name.toLowerCase()}`)) ?? "");
}

/** `[Environment]::GetFolderPath('UserProfile')` (Environment.SpecialFolder). */
function specialFolder(name: string, variable: Lookup): Value {
  const found = folderVariables.get(name);
  if (found === undefined) return undefined;
  const [base = "", rest = ""] = found;
  const folder = textOf(variable(`env:${base}`));
  return folder === undefined ? undefined : text(folder + rest);
}

const folderVariables: ReadonlyMap<string, readonly string[]> = new Map([
  ["userprofile", ["userprofile"]],
  ["windows", ["windir"]],
  ["system", ["windir", "\\System32"]],
  ["systemx86", ["windir", "\\SysWOW64"]],
  ["programfiles", ["programfiles"]],
  ["programfilesx86", ["programfiles(x86)"]],
  ["commonapplicationdata", ["programdata"]],
  ["applicationdata", ["appdata"]],
  ["localapplicationdata", ["localappdata"]],
  ["desktop", ["userprofile", "\\Desktop"]],
  ["mydocuments", ["userprofile", "\\Documents"]],
  ["personal", ["userprofile", "\\Documents"]],
]);

/** `[Text.Encoding]::Unicode.GetString([Convert]::FromBase64String('…'))`. */
function encodedText(encoding: string, bytes: Value): Value {
  const source = bytes?.kind === "table" ? textOf(bytes.entries.get("base64")) : undefined;
  const plain = source === undefined ? undefined : decoded(source, encoding === "unicode" ? "utf-16le" : "utf-8");
  return plain === undefined ? undefined : text(plain);
}
