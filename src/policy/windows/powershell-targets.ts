import { readParameter } from "./powershell-names.ts";
import type { PowerShellWord } from "./powershell-script.ts";

/** What a command passes on: paths (undefined where one is not known), and whether they were listed with all below. */
export interface Listed {
  readonly paths: readonly (string | undefined)[];
  readonly deep: boolean;
}

/** A path that would be deleted with everything below. */
export interface Target {
  readonly text: string;
  readonly wildcards: boolean;
}

/** Reads the values of a word. */
export type ReadWord = (word: PowerShellWord) => readonly (string | undefined)[];

/** Words of a cmdlet, told apart. */
interface Words {
  readonly switches: ReadonlySet<string>;
  readonly paths: readonly Target[];
  /** A filter lets only some names through. */
  readonly narrowed: boolean;
}

/** What Remove-Item deletes recursively: nothing where it is not recursive, only shows (-WhatIf) or takes a filter. */
export function deletionTargets(
  words: readonly PowerShellWord[],
  read: ReadWord,
  program: string,
  incoming: Listed | undefined,
): readonly Target[] {
  const { switches, paths, narrowed } = readWords(words, read);
  // On Linux `rm` is the system's own program, with its own options.
  const native =
    /^(.*[\\/])?rm$/i.test(program) && words.some((word) => /^-[a-zA-Z]*[rR][a-zA-Z]*$|^--r\w*$/.test(word.text));
  const deep = switches.has("recurse") || native || (incoming?.deep === true && incoming.paths.length > 0);
  if (!deep || narrowed || switches.has("whatif")) return [];
  const piped = (incoming?.paths ?? []).flatMap((text) => (text === undefined ? [] : [{ text, wildcards: true }]));
  return [...paths, ...piped];
}

/** What Get-ChildItem and Get-Item pass on. The children of a folder are as good as the folder, unless a filter lets only some through. */
export function locationTargets(
  words: readonly PowerShellWord[],
  read: ReadWord,
  children: boolean,
): Listed | undefined {
  const { switches, paths, narrowed } = readWords(words, read);
  if (narrowed) return undefined;
  const texts = paths.length === 0 && children ? ["."] : paths.map(({ text }) => text);
  return { paths: children ? texts.map((text) => `${text}\\*`) : texts, deep: switches.has("recurse") };
}

/** A bare word without its backticks. */
function bareText(word: PowerShellWord): string {
  const parts = word.values.length === 1 ? (word.values[0] ?? []) : [];
  return parts.length > 0 && parts.every((part) => part.kind === "text")
    ? parts.map((part) => part.text).join("")
    : word.text;
}

function readWords(words: readonly PowerShellWord[], read: ReadWord): Words {
  const switches = new Set<string>();
  const paths: Target[] = [];
  let narrowed = false;
  let pending: string | undefined;
  for (const word of words) {
    const parameter = word.bare && pending === undefined ? readParameter(bareText(word)) : undefined;
    if (parameter === undefined) {
      const values = read(word).filter((value) => value !== undefined);
      if (pending === undefined || pending === "path" || pending === "literalpath") {
        for (const text of values) paths.push({ text, wildcards: pending !== "literalpath" });
      } else if ((pending === "include" || pending === "filter") && !values.every((value) => /^\*(\.\*)?$/.test(value)))
        narrowed = true;
      pending = undefined;
    } else if (parameter.glued !== undefined) {
      const glued = parameter.glued;
      if (parameter.name === "path" || parameter.name === "literalpath") {
        for (const value of read(word))
          paths.push({ text: (value ?? glued).replace(/^[^:]*:/, ""), wildcards: parameter.name === "path" });
      } else if (!/^\$?(false|0|null)$/i.test(glued)) switches.add(parameter.name);
    } else if (parameter.takesNext) pending = parameter.name;
    else switches.add(parameter.name);
  }
  return { switches, paths, narrowed };
}
