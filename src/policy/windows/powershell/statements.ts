import { isKeyword } from "./powershell-names.ts";
import type { PowerShellCommand, PowerShellWord } from "./powershell-script.ts";

/** The keyword that a word is or begins with, in lower case: `if`, `while($true)`, `param($x)`. Undefined: it is none. */
export function keywordOf(word: PowerShellWord | undefined): string | undefined {
  if (word?.bare !== true) return undefined;
  const name = /^[a-z]+(?=$|\()/i.exec(word.text)?.[0].toLowerCase() ?? "";
  return isKeyword(name) ? name : undefined;
}

/** What stands between a keyword and its block: a condition, names, a list. */
export function headerOf(command: PowerShellCommand): string {
  const [first, ...rest] = command.words;
  const glued = first?.text.slice(keywordOf(first)?.length ?? 0) ?? "";
  return [glued, ...rest.filter((word) => !word.block).map((word) => word.text)].join(" ").trim();
}

/** A statement ends at its block: what follows on the same line is a command of its own. */
export function statements(command: PowerShellCommand): readonly PowerShellCommand[] {
  if (command.operator !== "") return [command];
  const found: PowerShellCommand[] = [];
  let start = 0;
  for (;;) {
    const end = endOfStatement(command.words, start);
    if (end === undefined) break;
    found.push({ ...command, words: command.words.slice(start, end), redirects: [] });
    start = end;
  }
  return start === 0 ? [command] : [...found, { ...command, words: command.words.slice(start) }];
}

function endOfStatement(words: readonly PowerShellWord[], start: number): number | undefined {
  const name = keywordOf(words[start]);
  if (name === undefined) {
    // `[CmdletBinding()] param (…)`, `[Flags()] enum X { … }`.
    const attribute =
      /^\[[a-z]+(\(.*)?\]$/is.test(words[start]?.text ?? "") && keywordOf(words[start + 1]) !== undefined;
    return attribute ? start + 1 : undefined;
  }
  if (name === "param") return until(words, words[start]?.nested.length === 0 ? start + 1 : start);
  if (/^(return|throw|exit|break|continue)$/.test(name)) return until(words, start);
  // Looked for from here on: a long command may hold thousands of statements.
  let block = start + 1;
  while (block < words.length && words[block]?.block !== true) block += 1;
  if (block === words.length) return undefined;
  // The condition of `do { … } while (…)` belongs to it.
  const tail = name === "do" ? words[block + 1] : undefined;
  if (!/^(while|until)$/.test(keywordOf(tail) ?? "")) return until(words, block);
  return until(words, tail?.nested.length === 0 ? block + 2 : block + 1);
}

/** Behind that word, where something is left. */
function until(words: readonly PowerShellWord[], last: number): number | undefined {
  return last >= words.length - 1 ? undefined : last + 1;
}

/** The variables of `(…)` or of `param (…)`, in their order. */
export function parameterNames(header: string): readonly string[] {
  const list = /^\s*\(/.test(header) ? header : (/^\s*(?:\[[^\]]*\]\s*)*param\s*(\([^]*)/i.exec(header)?.[1] ?? "");
  const names: string[] = [];
  let depth = 0;
  const token = /\$([A-Za-z_]\w*)|[()]/g;
  for (let found = token.exec(list); found !== null; found = token.exec(list)) {
    if (found[0] === "(") depth += 1;
    else if (found[0] === ")") depth -= 1;
    else if (depth === 1) names.push((found[1] ?? "").toLowerCase());
    if (depth <= 0) break;
  }
  return names;
}
