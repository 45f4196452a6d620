import type { RunEffect } from "../../../model/effect.ts";
import { readWindowsPath } from "../paths/windows-path.ts";
import { guardTree, touchPath } from "../programs/touch-path.ts";
import { moveTo } from "../windows-state.ts";
import { copyFiles, renameFiles } from "./cmd-copies.ts";
import type { CmdWord } from "./cmd-script.ts";
import { isUnknown, shownText } from "./expand-percents.ts";
import { slashes, type CmdWalk } from "./cmd-walk.ts";

/** A command that cmd itself may carry out. */
export interface BuiltinCall {
  readonly name: string;
  readonly words: readonly CmdWord[];
  /** Their texts; undefined: not known before it runs. */
  readonly known: readonly (string | undefined)[];
  /** The text from each word of the command on, the name first. */
  readonly from: (word: number) => string;
  readonly effect: RunEffect;
  readonly fed: string | undefined;
}

/** What became of it. */
interface Built {
  readonly printed: string | undefined;
  /** Why it is not seen through. */
  readonly why: string | undefined;
}

const seen: Built = { printed: undefined, why: undefined };

/** Names that cmd knows under two spellings, for rules. */
export function builtinAliases(name: string): readonly string[] {
  const pair = [
    ["rd", "rmdir"],
    ["del", "erase"],
    ["md", "mkdir"],
    ["cd", "chdir"],
    ["ren", "rename"],
  ].find((names) => names.includes(name));
  return pair ?? [];
}

const builtins: ReadonlySet<string> = new Set(
  `assoc break call cd chdir cls color copy date del dir echo else endlocal erase exit ftype goto md mkdir mklink move path pause popd prompt pushd rd
  ren rename rmdir set setlocal shift start time title type ver verify vol doskey`.split(/\s+/),
);

/** True for a command of cmd itself (help). */
export function isBuiltin(name: string): boolean {
  return builtins.has(name);
}

/** Runs a command of cmd itself. */
export function runBuiltin(call: BuiltinCall, walk: CmdWalk): Built {
  const { state } = walk;
  const { effect } = call;
  const known = call.known.flatMap((word): readonly (string | undefined)[] =>
    word === undefined ? [word] : slashes(word),
  );
  const operands = known.filter((word) => word === undefined || !/^\/[a-z?]/i.test(word));
  const has = (pattern: RegExp): boolean => known.some((word) => word !== undefined && pattern.test(word));
  const why = call.known.includes(undefined) ? "a word is only known when it runs" : undefined;
  switch (call.name) {
    case "echo": {
      const text = call.from(0).replace(/^@*echo[.:([\]+/\\,;=\s]?/i, "");
      return { printed: isUnknown(text) ? undefined : printedText(text), why };
    }
    case "cls":
    case "ver":
    case "vol":
    case "title":
    case "pause":
    case "color":
    case "verify":
    case "break":
    case "date":
    case "time":
    case "exit":
    case "endlocal":
      return {
        printed: undefined,
        why: why ?? (operands.some((word) => /[\\:*?~]/.test(word ?? "")) ? "a word may be a path" : undefined),
      };
    case "dir":
      for (const word of operands.length === 0 ? ["."] : operands)
        touchPath("read", word, { wildcards: true, everywhere: has(/^\/s/i) }, effect, state);
      return {
        printed: has(/^\/b/i) ? listedNames(operands, has(/^\/s/i)) : undefined,
        why: why ?? (has(/^\/[a-z]*[^\w:/-]/i) ? "an option is not known" : undefined),
      };
    case "type":
      for (const word of operands) touchPath("read", word, { wildcards: true }, effect, state);
      return { printed: undefined, why };
    case "md":
    case "mkdir":
      for (const word of operands) touchPath("write", word, {}, effect, state);
      return { printed: undefined, why };
    case "rd":
    case "rmdir":
    case "del":
    case "erase":
      return remove(call, operands, has(/^\/s/i), walk, why);
    case "copy":
      copyFiles(call, state);
      return { printed: undefined, why };
    case "move":
      copyFiles(call, state);
      return { printed: undefined, why };
    case "ren":
    case "rename":
      renameFiles(operands, effect, state);
      return { printed: undefined, why };
    case "cd":
    case "chdir":
    case "pushd":
    case "popd":
      return changeFolder(call.name, operands, call, walk);
    case "set":
      setVariable(call, walk);
      return { printed: undefined, why: "set changes what follows" };
    case "mklink":
      for (const word of operands) touchPath("write", word, {}, effect, state);
      return { printed: undefined, why: "a link changes what paths mean" };
    case "goto":
      if (walk.starts > 0 || walk.itself > 0) bombed(walk, operands[0]);
      return { printed: undefined, why: "goto decides what runs" };
    default:
      return { ...seen, why: `${call.name} changes what follows or runs text` };
  }
}

/** What `dir /b` prints: all names that there are, with their folder where it goes below. */
function listedNames(operands: readonly (string | undefined)[], deep: boolean): string | undefined {
  if (operands.includes(undefined)) return undefined;
  const places = operands.length === 0 ? ["."] : operands.map((word) => word ?? "");
  return places
    .map((place) => {
      const cut = Math.max(place.lastIndexOf("\\"), place.lastIndexOf("/")) + 1;
      const pattern = /[*?]/.test(place.slice(cut));
      if (deep) return pattern ? place : `${place.replace(/[\\/]$/, "")}\\*`;
      return pattern ? place.slice(cut) : "*";
    })
    .join("\n");
}

/** A caret hides the character behind it; quotes are printed. */
function printedText(text: string): string {
  return text.trim().replace(/\^(.)/g, "$1");
}

function remove(
  { name, effect }: BuiltinCall,
  operands: readonly (string | undefined)[],
  tree: boolean,
  { state, deep }: CmdWalk,
  why: string | undefined,
): Built {
  const folder = name.startsWith("r");
  // Blanks that nobody quoted: what was meant is feared, too.
  if (operands.length > 1 && (tree || deep))
    guardTree(operands.map((word) => word ?? "?").join(" "), true, effect, state);
  for (const word of operands) {
    if (word !== undefined && (tree || deep)) guardTree(word, true, effect, state);
    touchPath("delete", word, { wildcards: true, tree: tree && folder, everywhere: tree && !folder }, effect, state);
    // A folder's name stands for all files in it (del /?).
    if (!folder && !tree && word !== undefined && !/[*?]/.test(word))
      touchPath("delete", word, { tree: true }, effect, state);
  }
  return { printed: undefined, why };
}

function changeFolder(
  name: string,
  operands: readonly (string | undefined)[],
  call: BuiltinCall,
  { state }: CmdWalk,
): Built {
  if (name === "popd") moveTo(state, undefined);
  else if (operands.length > 0) {
    // `cd` takes blanks as they are.
    const whole = operands.length > 1 && name !== "pushd" ? operands.map((word) => word ?? "").join(" ") : operands[0];
    const target = call.known.includes(undefined) ? undefined : whole;
    moveTo(state, target === undefined ? undefined : readWindowsPath(target, state.cwd, state.home));
  }
  const known = state.cwd !== undefined && name !== "pushd";
  return { printed: undefined, why: known ? undefined : `${name} changes what follows` };
}

function setVariable({ from, words }: BuiltinCall, { state }: CmdWalk): void {
  const text = from(1);
  const [, name = "", value = ""] =
    /^\s*(?:"([^="]+)=(.*?)"[^"]*$)/s.exec(text) ?? /^\s*([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === "") return;
  const special = /^\/[ap]$/i.test(words[0]?.text ?? "");
  const plain = value.replace(/\^(.)/g, "$1");
  state.environment.set(
    shownText(name.replace(/^\/[ap]\s+/i, "")).toLowerCase(),
    special || isUnknown(plain) ? undefined : plain,
  );
}

/** A label, something started and a jump: it starts it again and again. */
function bombed(walk: CmdWalk, target: string | undefined): void {
  if (target === undefined || /^:?eof$/i.test(target)) return;
  if (!walk.labels.has(target.replace(/^:/, "").toLowerCase())) return;
  walk.state.found.block("windows-fork-bomb", walk.state.found.run("cmd", ["cmd"], [], false));
}
