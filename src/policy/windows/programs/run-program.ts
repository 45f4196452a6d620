import { analyseArgv } from "../../shell/analyse-argv.ts";
import { analyseShell } from "../../shell/analyse-shell.ts";
import type { ShellAnalysis } from "../../shell/shell-analysis.ts";
import { posixPath } from "../paths/posix-path.ts";
import { readWindowsPath } from "../paths/windows-path.ts";
import type { WindowsState } from "../windows-state.ts";
import { guardDestroyers } from "./guard-destroyers.ts";
import { takesOtherRights } from "./takes-other-rights.ts";
import { fileTool } from "./file-tool.ts";
import { powerShellCall } from "./powershell-call.ts";
import { posixWord } from "./posix-word.ts";
import { knownWords, programName, splitLine, type ProgramCall } from "./program-call.ts";
import { supposeWords } from "./suppose-words.ts";
import { guardTree } from "./touch-path.ts";
import { guardMounts } from "./guard-mounts.ts";
import { hidesWhatItDoes, isWindowsTool } from "./windows-tools.ts";
import { wslCall } from "./wsl-call.ts";

/**
 * Looks at a program that is no command of the shell itself: what of it is forbidden, what it does to files, and what it runs in turn. Gives why
 * it is not seen through; undefined where it is.
 */
export function runProgram(call: ProgramCall, state: WindowsState): string | undefined {
  if (takesOtherRights(call)) {
    state.found.block("windows-elevation", call.effect);
    return "it takes other rights";
  }
  guardDestroyers(call, state);
  const tool = fileTool(call, state);
  if (tool !== undefined) return tool.why;
  return runText(call, state) ?? runPlain(call, state);
}

/** Programs that run a text or another program. Undefined: it is none of them. */
function runText(call: ProgramCall, state: WindowsState): string | undefined {
  const words = knownWords(call);
  const why = `${call.name} runs a text of its own`;
  switch (call.name) {
    case "powershell":
    case "pwsh":
    case "powershell_ise": {
      const inner = powerShellCall(call.words, call.fed);
      const before = state.cwd;
      if (inner.folder !== undefined) state.cwd = readWindowsPath(inner.folder, before, state.home);
      for (const text of inner.texts) state.nest("powershell", text);
      if (inner.folder !== undefined) state.cwd = before;
      return inner.why ?? why;
    }
    case "cmd": {
      const inner = /\/[ckr]\s*(.*)$/is.exec(call.line)?.[1];
      for (const text of inner === undefined ? call.fed : cmdTexts(inner)) state.nest("cmd", text);
      return why;
    }
    case "wsl":
    case "wslg":
    case "ubuntu":
    case "debian":
    case "kali":
      for (const analysis of posixAnalyses(call, state)) guardMounts(call.effect, analysis, state);
      return why;
    case "forfiles":
      forfiles(call, state);
      return why;
    case "conhost":
    case "pcalua":
      state.nest("cmd", words.filter((word) => !/^--?[a-z]+$/i.test(word)).join(" "));
      return why;
    case "psexec":
    case "psexec64":
    case "paexec":
      words.forEach((word, index) => {
        if (!/^([-/]|\\\\)/.test(word)) state.nest("cmd", words.slice(index).join(" "));
      });
      return why;
    case "mshta":
    case "rundll32":
      for (const [line] of call.line.matchAll(/\b(?:cmd|powershell|pwsh)(?:\.exe)?\s[^"']*/gi)) state.nest("cmd", line);
      return why;
    case "wmic":
    case "schtasks":
    case "at":
    case "hh":
      for (const word of words) if (/\s/.test(word)) state.nest("cmd", word);
      return why;
    default:
      return undefined;
  }
}

/** What cmd makes of the text behind /c: where it starts with a quote, that one and the last are taken away (cmd /?), or the text has no more. */
function cmdTexts(inner: string): readonly string[] {
  const text = inner.trim();
  if (!text.startsWith('"')) return [text];
  const last = text.lastIndexOf('"');
  const without = last === 0 ? text.slice(1) : text.slice(1, last) + text.slice(last + 1);
  return last === text.length - 1 || last === 0 ? [without] : [without, text.slice(1), text];
}

/** `forfiles /p FOLDER /m MASK /s /c "COMMAND"`, with what it puts in for `@path`. */
function forfiles(call: ProgramCall, state: WindowsState): void {
  const words = knownWords(call);
  const value = (option: RegExp): string | undefined => {
    const at = words.findIndex((word) => option.test(word));
    return at < 0 ? undefined : words[at + 1];
  };
  const command = value(/^[-/]c$/i);
  if (command === undefined) return;
  const folder = value(/^[-/]p$/i) ?? ".";
  const path = `${folder.replace(/\\$/, "")}\\${value(/^[-/]m$/i) ?? "*"}`;
  const deep = words.some((word) => /^[-/]s$/i.test(word));
  if (deep && /\b(del|erase|rd|rmdir|ri|rm|remove-item)\b.*@(path|file|relpath)/i.test(command))
    guardTree(path, true, call.effect, state);
  state.nest(
    "cmd",
    command.replace(/0x22/gi, '"').replace(/@(path|file|fname|relpath)/gi, () => path),
  );
}

function posixAnalyses(call: ProgramCall, state: WindowsState): readonly ShellAnalysis[] {
  const world = { ...state.posix, cwd: posixFolder(state) };
  const inner = wslCall(knownWords(call));
  if (inner === undefined) return call.fed.map((text) => analyseShell(text, world));
  const [program, ...rest] = inner.words;
  if (program === undefined) return [];
  const analyses = [analyseArgv([program, ...rest], world)];
  // `… | wsl bash` reads its text from its input.
  if (inner.words.length === 1 && posixShells.test(program))
    analyses.push(...call.fed.map((text) => analyseShell(text, world)));
  return inner.throughShell ? [...analyses, analyseShell(inner.words.join(" "), world)] : analyses;
}

function posixFolder({ cwd, home, posix }: WindowsState): WindowsState["posix"]["cwd"] {
  return cwd === undefined ? posix.cwd : (posixPath(cwd, { home, homePath: posix.facts.home }) ?? posix.cwd);
}

/** Programs that are the same everywhere are judged by what they do on a POSIX system. */
function runPlain(call: ProgramCall, state: WindowsState): string | undefined {
  const unknown = call.words.includes(undefined) ? "a word is not known before it runs" : undefined;
  const words = knownWords(call);
  const hidden = hidesWhatItDoes(call);
  if (hidden !== undefined || isWindowsTool(call.name)) supposeWords(words, state);
  if (hidden !== undefined) return hidden;
  if (isWindowsTool(call.name)) {
    // Some have a namesake elsewhere that starts programs: only what that may never do is looked for.
    state.found.merge({ effects: [], blocked: analyseArgv([call.name, ...words], state.posix).blocked });
    return unknown ?? (words.some((word) => !/^\/[a-z?]+$/i.test(word) && isOdd(word)) ? oddWord : undefined);
  }
  const posix = words.map((word) => posixWord(word, state));
  const name = call.name === "git-bash" ? "bash" : call.name;
  const analysis = analyseArgv([name, ...posix.map(({ text }) => text)], {
    ...state.posix,
    cwd: posixFolder(state),
  });
  guardMounts(call.effect, analysis, state);
  if (posixShells.test(name))
    for (const text of call.fed)
      guardMounts(call.effect, analyseShell(text, { ...state.posix, cwd: posixFolder(state) }), state);
  return unknown ?? (posix.some(({ sure }) => !sure) || state.cwd === undefined ? oddWord : undefined);
}

const posixShells = /^(bash|sh|dash|zsh|ksh|ash|fish)$/;
const oddWord = "a word may be a path";

/** True where a word may name a file. */
function isOdd(word: string): boolean {
  return /[\\/:*?~]|^\.|[^\x20-\x7e]/.test(word);
}

/** A command line that some other program starts, such as a scheduled task or a process that WMI creates. */
export function runLine(line: string, state: WindowsState): void {
  const [first = "", ...words] = splitLine(line);
  const name = programName(first);
  if (name === "") return;
  const effect = state.found.run(name, [first, ...words], [name], false);
  const why = runProgram({ name, words, line: line.trim().slice(first.length), effect, fed: [] }, state);
  if (why !== undefined) state.found.opaque(effect.text, why, "syntax");
}
