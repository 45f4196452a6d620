import { cmdWords, splitCmd, unknownPart, type CmdWord, type CmdWords } from "./parse-cmd.ts";
import { powerShellTexts } from "./nested-powershell.ts";
import { isElevation } from "./powershell-names.ts";
import { isProtectedWindows, knownVariable, readWindowsPath } from "./windows-path.ts";
import type { WindowsState } from "./windows-state.ts";

/** Walks a cmd line for what the blocklist forbids; anything but plain words is opaque. */
export function walkCmd(text: string, state: WindowsState): void {
  const expanded = expandPercents(text, state);
  if (expanded.includes(unknownPart) || /![^!\s]+!/.test(text))
    state.found.opaque(text, "a variable is only known when it runs", "dynamic");
  let printed: string | undefined;
  for (const { text: part, piped } of splitCmd(expanded))
    printed = walkSegment(part, state, piped ? printed : undefined);
}

/** Puts in what every session knows. Variables that the text itself sets are expanded before they are set, so they stay unknown. */
function expandPercents(text: string, state: WindowsState): string {
  return text.replace(
    /%%|%([^%\s:=&|<>]+)(:[^%]*)?%|%[\d*~]\w*/g,
    (found, name: string | undefined, change: string | undefined) => {
      if (found === "%%") return "%";
      const value =
        name === undefined || change !== undefined ? undefined : knownVariable(name.toLowerCase(), state.homeText);
      return value ?? unknownPart;
    },
  );
}

/** Walks one command and gives what it prints where that is known. `if … ( … ) else ( … )` holds two. */
function walkSegment(source: string, state: WindowsState, fed: string | undefined): string | undefined {
  const [first = "", ...others] = source.split(/\)\s*else\b/i);
  for (const other of others) walkCommand(other, state, undefined);
  return walkCommand(first, state, fed);
}

function walkCommand(source: string, state: WindowsState, fed: string | undefined): string | undefined {
  const whole = unwrapped(source);
  if (whole === "" || /^(rem\b|:)/i.test(whole)) return undefined;
  const loop = /^for\s+(\/[dlrf]\b\s*(?:"[^"]*"\s*|[^%(]*?))?%{1,2}(\w)\s+in\s*\(([^)]*)\)\s*do\s*(.*)$/is.exec(whole);
  if (loop !== null) return walkLoop(loop, state);
  const all = cmdWords(whole);
  const at = skipDeciders(all.words);
  const text = unwrapped(all.from[at] ?? "");
  if (at > 0) {
    state.found.opaque(whole, `${all.words[0]?.text ?? ""} decides what runs`, "syntax");
    if (/^for\b/i.test(text)) return walkCommand(text, state, fed);
  }
  const parsed = at === 0 ? all : cmdWords(text);
  const [first] = parsed.words;
  if (first === undefined || /^(rem\b|:)/i.test(text)) return undefined;
  const { name, glued } = splitName(first);
  const args = [...glued, ...parsed.words.slice(1).map((word) => word.text)];
  const dynamic = text.includes(unknownPart);
  const effect = state.found.run(
    name,
    [name, ...args].map((word) => word.replaceAll(unknownPart, "%?%")),
    undefined,
    dynamic,
  );
  const why = whyOpaque(name, parsed, glued);
  if (why !== undefined) state.found.opaque(effect.text, why, "syntax");
  if (isElevation(name)) state.found.block("windows-elevation", effect);
  if (name === "format" && args.some((word) => /^[a-z]:/i.test(word))) state.found.block("windows-format", effect);
  if (deletesProtected(name, args, state)) state.found.block("windows-recursive-delete", effect);
  return runInner(name, args, parsed, state, fed);
}

/** Brackets around commands, and the mark that hides them. Only closing brackets without an opening one are taken off the end. */
function unwrapped(source: string): string {
  let text = source.trim().replace(/^[@()\s]+/, "");
  while (text.endsWith(")") && (text.match(/\)/g)?.length ?? 0) > (text.match(/\(/g)?.length ?? 0))
    text = text.slice(0, -1).trimEnd();
  return text;
}

function walkLoop(loop: RegExpExecArray, state: WindowsState): undefined {
  const [text, kind = "", letter = "", set = "", body = ""] = loop;
  state.found.opaque(text, "a loop sets a variable", "dynamic");
  const variable = new RegExp(`%{1,2}(?:~[a-z]*)?${letter}(?!\\w)`, "g");
  const folder = /^\/r\s+(.+?)\s*$/i.exec(kind)?.[1]?.replaceAll('"', "");
  const items = /^\/[fl]/i.test(kind) ? [unknownPart] : set.split(/[\s,;]+/).filter((item) => item !== "");
  for (const item of items.slice(0, 32)) {
    const value = folder === undefined ? item : `${folder}\\${item}`;
    for (const part of splitCmd(body.replace(variable, () => value))) walkSegment(part.text, state, undefined);
  }
  return undefined;
}

/** The index of the command behind `if CONDITION`, `else`, `call`, `start "title"`, however many there are. */
function skipDeciders(words: readonly CmdWord[]): number {
  let at = 0;
  const is = (pattern: RegExp): boolean => pattern.test(words[at]?.text ?? "");
  while (is(/^[@(]*(if|else|call|start)$/i)) {
    const name = (words[at]?.text ?? "").replace(/^[@(]+/, "").toLowerCase();
    at += 1;
    if (name === "if") {
      while (is(/^(\/i|not)$/i)) at += 1;
      if (is(/^(exist|defined|errorlevel|cmdextversion)$/i)) at += 2;
      else {
        at += 1;
        if (is(/^(equ|neq|lss|leq|gtr|geq)$/i)) at += 1;
        at += 1;
      }
    } else if (name === "start") {
      if (words[at]?.quoted === true && at + 1 < words.length) at += 1;
      while (is(/^\//)) at += /^\/d$/i.test(words[at]?.text ?? "") ? 2 : 1;
    }
  }
  return at;
}

/** `rd/s/q`, `cd\`, `cd..`, `echo.`: a built-in command ends where its name ends. */
function splitName(word: CmdWord): { readonly name: string; readonly glued: readonly string[] } {
  const builtin =
    /^(rd|rmdir|del|erase|cd|chdir|dir|type|copy|move|ren|md|mkdir|pushd|popd|set|call|start|if|echo|format|cmd)((?:[\\/.:(+[\]]).*)$/is.exec(
      word.text,
    );
  const rest = builtin?.[2] ?? "";
  const whole = builtin?.[1] ?? word.text;
  const base = whole.slice(Math.max(whole.lastIndexOf("\\"), whole.lastIndexOf("/")) + 1).toLowerCase();
  if (builtin !== null && !/^\.(exe|com|bat|cmd)$/i.test(rest)) return { name: base, glued: switches(rest) };
  const last = word.text.slice(Math.max(word.text.lastIndexOf("\\"), word.text.lastIndexOf("/")) + 1);
  return { name: last.toLowerCase().replace(/\.(exe|com|bat|cmd)$/, ""), glued: [] };
}

/** `/s/q` is two switches. */
function switches(text: string): readonly string[] {
  return /^(\/[a-z?]+)+$/i.test(text) ? (text.match(/\/[a-z?]+/gi) ?? []) : [text];
}

function deletesProtected(name: string, args: readonly string[], state: WindowsState): boolean {
  const words = args.flatMap(switches);
  const deep = words.some((word) => /^\/s$/i.test(word));
  if (!deep || !/^(rd|rmdir|del|erase)$/.test(name)) return false;
  return words.some((word) => {
    if (/^\/[a-z?](:.*)?$/i.test(word) || word.includes(unknownPart)) return false;
    const path = readWindowsPath(word, state.cwd, state.home);
    return path !== undefined && isProtectedWindows(path, state.home);
  });
}

/** What a command does to the lines behind it, and the texts that it runs itself. */
function runInner(
  name: string,
  args: readonly string[],
  { from }: CmdWords,
  state: WindowsState,
  fed: string | undefined,
): string | undefined {
  switch (name) {
    case "echo":
      return (from[1] ?? "").trim().replace(/\^(.)/g, "$1");
    case "cd":
    case "chdir":
    case "pushd": {
      const target = args.find((word) => !/^\/d$/i.test(word));
      if (target !== undefined)
        state.cwd = target.includes(unknownPart) ? undefined : readWindowsPath(target, state.cwd, state.home);
      return undefined;
    }
    case "popd":
      state.cwd = undefined;
      return undefined;
    case "cmd": {
      const line = from[0] ?? "";
      const inner = /\s?\/[ck]\s*(.*)$/is.exec(line)?.[1];
      if (inner !== undefined) state.nest("cmd", /^".*"$/s.test(inner.trim()) ? inner.trim().slice(1, -1) : inner);
      else if (fed !== undefined) state.nest("cmd", fed);
      return undefined;
    }
    case "powershell":
    case "pwsh":
      for (const text of powerShellTexts(args, name, fed === undefined ? [] : [fed])) state.nest("powershell", text);
      return undefined;
    default:
      return undefined;
  }
}

/** Why a command is not plain words; undefined where it is. */
function whyOpaque(name: string, { words, redirected }: CmdWords, glued: readonly string[]): string | undefined {
  if (redirected) return "a redirection writes or reads a file";
  if (
    /^(cmd|powershell|pwsh|set|setlocal|path|for|goto|cd|chdir|pushd|popd|doskey|assoc|ftype|wsl|bash|sh|runas|mshta|wscript|cscript|rundll32|regsvr32|forfiles|choice|subst)$/.test(
      name,
    )
  )
    return `${name} changes what follows or runs text`;
  const operands = words.slice(1).filter((word) => !/^\/[a-z?]+$/i.test(word.text));
  if (words.some((word) => /[%!^]/.test(word.text) || word.text.includes(unknownPart)))
    return "a word is only known when it runs";
  if (/[^\w-]/.test(words[0]?.text ?? "") && glued.length === 0) return "the program is named in an unusual way";
  if (
    glued.some((word) => !/^\/[a-z?]+$/i.test(word)) ||
    operands.some((word) => /[\\/:*?~]|^\.|[^\x20-\x7e]/.test(word.text))
  )
    return "a word may be a path";
  return undefined;
}
