import { powerShellTexts } from "./nested-powershell.ts";
import { parsePowerShell } from "./parse-powershell.ts";
import { changesMeaning, commandName, isElevation, isKeyword, readParameter } from "./powershell-names.ts";
import type { PowerShellCommand, PowerShellPart, PowerShellScript, PowerShellWord } from "./powershell-script.ts";
import { deletionTargets, locationTargets, type Listed } from "./powershell-targets.ts";
import { isProtectedWindows, knownVariable, readWindowsPath } from "./windows-path.ts";
import type { WindowsState } from "./windows-state.ts";

/**
 * Walks PowerShell text for what the blocklist forbids; anything but plain words is opaque.
 * @throws RangeError where brackets are nested too deep.
 */
export function walkPowerShell(text: string, state: WindowsState): void {
  const script = parsePowerShell(text);
  if (script.broken) state.found.opaque(text, "a quote or a bracket is not closed", "syntax");
  walkScript(script, state, undefined);
}

function walkScript(script: PowerShellScript, state: WindowsState, piped: Listed | undefined): void {
  for (const { commands, background } of script.pipelines) {
    let incoming: Listed | undefined;
    for (const command of commands) {
      for (const part of statements(command)) incoming = walkCommand(part, state, incoming ?? piped);
    }
    if (background) state.found.opaque("&", "a background job runs in a folder and a session of its own", "syntax");
  }
}

/** A statement ends at its block: what follows on the same line is a command of its own. */
function statements(command: PowerShellCommand): readonly PowerShellCommand[] {
  if (command.operator !== "") return [command];
  const found: PowerShellCommand[] = [];
  let start = 0;
  for (;;) {
    const end = endOfStatement(command.words, start);
    if (end === undefined) break;
    found.push({ ...command, words: command.words.slice(start, end) });
    start = end;
  }
  return start === 0 ? [command] : [...found, { ...command, words: command.words.slice(start), assigns: undefined }];
}

function endOfStatement(words: readonly PowerShellWord[], start: number): number | undefined {
  const name = words[start]?.text.toLowerCase() ?? "";
  if (!isKeyword(name)) return undefined;
  const block = /^(return|throw|exit)$/.test(name)
    ? start
    : words.findIndex((word, index) => index > start && word.block);
  return block === -1 || block === words.length - 1 ? undefined : block + 1;
}

function walkCommand(
  command: PowerShellCommand,
  state: WindowsState,
  incoming: Listed | undefined,
): Listed | undefined {
  const [first, ...rest] = command.words;
  if (first === undefined) return undefined;
  const values = command.words.flatMap((word) => word.values.map((value) => valueText(value, state, incoming)));
  for (const word of command.words) for (const nested of word.nested) walkScript(nested, state, incoming);
  if (command.assigns !== undefined) assign(command, values, state);
  const program = values[0];
  const isCommand =
    command.operator !== "" ||
    (first.bare &&
      first.values[0]?.[0]?.kind === "text" &&
      /^[^\d[({$-]/.test(first.text) &&
      first.values.length === 1);
  if (!isCommand) {
    state.found.opaque(commandText(command), "an expression is not seen through", "syntax");
    return { paths: values, deep: false };
  }
  return runCommand(command, program, rest, state, incoming);
}

function assign(command: PowerShellCommand, values: readonly (string | undefined)[], state: WindowsState): void {
  const [value] = values;
  const name = command.assigns ?? "";
  if (command.words.length === 1 && values.length === 1 && value !== undefined) state.variables.set(name, value);
  else state.variables.delete(name);
  state.found.opaque(commandText(command), "a variable is set", "environment");
}

function runCommand(
  command: PowerShellCommand,
  program: string | undefined,
  rest: readonly PowerShellWord[],
  state: WindowsState,
  incoming: Listed | undefined,
): Listed | undefined {
  const { found } = state;
  const name = program === undefined ? "" : commandName(program);
  const words = [
    program ?? command.words[0]?.text ?? "",
    ...rest.map((word) => plainText(word, state, incoming) ?? word.text),
  ];
  const effect = found.run(
    name,
    words,
    name,
    program === undefined || rest.some((word) => plainText(word, state, incoming) === undefined),
  );
  const why = whyOpaque(command, name, rest, incoming !== undefined);
  if (why !== undefined) found.opaque(effect.text, why, program === undefined ? "dynamic" : "syntax");
  if (isElevation(name)) found.block("windows-elevation", effect);
  if (name === "format-volume" || name === "clear-disk" || (name === "format" && /^[a-z]:/i.test(words[1] ?? "")))
    found.block("windows-format", effect);
  const read = (word: PowerShellWord): readonly (string | undefined)[] =>
    word.values.map((value) => valueText(value, state, incoming));
  switch (name) {
    case "remove-item": {
      const targets = deletionTargets(rest, read, program ?? "", incoming);
      const hit = targets.some(({ text, wildcards }) => {
        const path = readWindowsPath(text, state.cwd, state.home);
        return path !== undefined && isProtectedWindows(path, state.home, wildcards);
      });
      if (hit) found.block("windows-recursive-delete", effect);
      return undefined;
    }
    case "find":
      if (words.includes("-delete") && words.length === 3 && isProtectedText(words[1] ?? "", state))
        found.block("windows-recursive-delete", effect);
      return undefined;
    case "get-childitem":
    case "get-item":
    case "resolve-path":
    case "convert-path":
      return locationTargets(rest, read, name === "get-childitem");
    case "sort-object":
    case "select-object":
    case "get-unique":
    case "tee-object":
    case "foreach-object":
      return incoming;
    case "write-output":
      return { paths: rest.flatMap(read), deep: false };
    case "set-location":
    case "push-location":
    case "pop-location":
      moveTo(name, words, rest.flatMap(read), state);
      return undefined;
    case "invoke-expression":
      for (const text of [...rest.flatMap(read), ...(incoming?.paths ?? [])])
        if (text !== undefined) state.nest("powershell", text);
      return undefined;
    case "start-process":
      if (isElevation(commandName(words.find((word, index) => index > 0 && readParameter(word) === undefined) ?? "")))
        found.block("windows-elevation", effect);
      return undefined;
    case "powershell":
    case "pwsh":
      for (const text of powerShellTexts(words.slice(1), name, known(incoming))) state.nest("powershell", text);
      return undefined;
    case "cmd": {
      const at = words.findIndex((word) => /^\/[ck]/i.test(word));
      const texts = at > 0 ? [[(words[at] ?? "").slice(2), ...words.slice(at + 1)].join(" ")] : known(incoming);
      for (const text of texts) state.nest("cmd", text);
      return undefined;
    }
    default:
      return undefined;
  }
}

function known(listed: Listed | undefined): readonly string[] {
  return (listed?.paths ?? []).filter((text) => text !== undefined);
}

function isProtectedText(text: string, state: WindowsState): boolean {
  const path = readWindowsPath(text, state.cwd, state.home);
  return path !== undefined && isProtectedWindows(path, state.home);
}

function moveTo(
  name: string,
  words: readonly string[],
  values: readonly (string | undefined)[],
  state: WindowsState,
): void {
  const glued = /^cd(\.\.|[\\/~])$/i.exec(words[0] ?? "")?.[1];
  const target = glued ?? values.find((value) => value === undefined || readParameter(value) === undefined);
  if (name === "pop-location" || (target === undefined && values.length > 0) || target === "-" || target === "+")
    state.cwd = undefined;
  else state.cwd = target === undefined ? state.home : readWindowsPath(target, state.cwd, state.home);
}

/** Why a command is not plain words; undefined where it is. A word that may be a path is not plain: files are judged by their own rules. */
function whyOpaque(
  command: PowerShellCommand,
  name: string,
  rest: readonly PowerShellWord[],
  piped: boolean,
): string | undefined {
  if (name === "") return "the program is not known before it runs";
  if (command.redirected) return "a redirection writes or reads a file";
  if (command.operator !== "") return "it is run by an operator";
  if (isKeyword(name) || changesMeaning(name)) return `${name} changes what follows or runs text`;
  if (name === "remove-item" && piped) return "what it deletes comes from a pipe";
  if (command.words[0]?.text.toLowerCase() !== name && !/^[\w-]+$/.test(command.words[0]?.text ?? ""))
    return "the program is named in an unusual way";
  if (
    rest.some(
      (word) =>
        word.nested.length > 0 ||
        word.values.length > 1 ||
        word.values.some((value) => value.some((part) => part.kind !== "text")),
    )
  )
    return "a word is not known before it runs";
  if (
    rest.some((word) =>
      /^[-\u2013-\u2015]+(outv|ov|pv|pipelinev|errorv|ev|warningv|wv|informationv|iv)/i.test(word.text),
    )
  )
    return "a parameter sets a variable";
  if (rest.some((word) => /[\\/:~*?[\]]|^\.|[^\x20-\x7e]/.test(word.text))) return "a word may be a path";
  return undefined;
}

function plainText(word: PowerShellWord, state: WindowsState, incoming: Listed | undefined): string | undefined {
  const values = word.values.map((value) => valueText(value, state, incoming));
  return values.every((value) => value !== undefined) ? values.join(",") : undefined;
}

/** The text of one value; undefined where a part is not known. */
function valueText(
  parts: readonly PowerShellPart[],
  state: WindowsState,
  incoming: Listed | undefined,
): string | undefined {
  let text = "";
  for (const part of parts) {
    if (part.kind === "unknown") return undefined;
    const known = part.kind === "text" ? part.text : variable(part.name, state, incoming);
    if (known === undefined) return undefined;
    text += known;
  }
  return text;
}

function variable(name: string, state: WindowsState, incoming: Listed | undefined): string | undefined {
  if (name === "_" || name === "psitem") return incoming?.paths.length === 1 ? incoming.paths[0] : undefined;
  const set = state.variables.get(name);
  if (set !== undefined) return set;
  if (name === "pwd")
    return state.cwd === undefined
      ? undefined
      : `${state.cwd.drive === "" ? "" : `${state.cwd.drive}:`}\\${state.cwd.parts.join("\\")}`;
  if (name.startsWith("env:")) return state.variables.get(name) ?? knownVariable(name.slice(4), state.homeText);
  return name === "home" ? state.homeText : undefined;
}

function commandText(command: PowerShellCommand): string {
  return command.words.map((word) => word.text).join(" ");
}
