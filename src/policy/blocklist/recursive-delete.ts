import { headOf, textOf } from "../shell/programs/words.ts";
import type { SimpleCommand, Word } from "../shell/simple-command.ts";
import type { BlockWorld } from "./block-world.ts";
import { cleanedByGit, mirroredByRsync } from "./emptied-folders.ts";
import { type FindAction, findStarts, readFind } from "./find-words.ts";
import { namesProtected } from "./protected-folders.ts";

/** True where a command deletes a protected folder with all it holds. */
export function deletesProtected(name: string, command: SimpleCommand, world: BlockWorld): boolean {
  const words = command.argv.slice(1);
  const operands = deletedFolders(name, words, command);
  return operands.some((word) => namesProtected(word, command.cwds, world));
}

function deletedFolders(name: string, words: readonly Word[], command: SimpleCommand): readonly Word[] {
  switch (name) {
    case "rm":
    case "grm":
    case "srm":
      return removedByRm(words, strictOrder(command));
    case "rimraf":
    case "del-cli":
    case "trash":
      return words.filter((word) => !headOf(word).startsWith("-"));
    case "find":
    case "gfind":
      return readFind(words).some(deletesAll) ? findStarts(words) : [];
    case "rsync":
      return mirroredByRsync(words);
    case "git":
      return cleanedByGit(words);
    default:
      return [];
  }
}

/** True for an action that deletes whatever is found: file by file is as bad as the tree. */
function deletesAll(action: FindAction): boolean {
  if (action.narrowed) return false;
  if (action.kind === "delete") return true;
  const [program, ...words] = action.command.map((word) => textOf(word) ?? "");
  return /^(?:.*\/)?g?(rm|unlink|shred)$/s.test(program ?? "") && words.some((word) => word.includes("{}"));
}

/** The operands of a recursive rm (rm(1)); none where it is not recursive, or only prints its help. */
function removedByRm(words: readonly Word[], strict: boolean): readonly Word[] {
  const operands: Word[] = [];
  let recursive = false;
  let ended = false;
  for (const word of words) {
    const text = headOf(word);
    if (ended || !/^-./.test(text)) {
      operands.push(word);
      // Without GNU's reordering the first operand ends the options.
      ended ||= strict;
    } else if (textOf(word) === "--") ended = true;
    else if (text.startsWith("--")) {
      if (operands.length === 0 && isPrefix(text, ["--help", "--version"])) return [];
      recursive ||= isPrefix(text, ["--recursive"]);
    } else recursive ||= /[rR]/.test(text.slice(1));
  }
  return recursive ? operands : [];
}

/** GNU accepts beginnings of long options; `--re` is the shortest that means recursive. */
function isPrefix(text: string, names: readonly string[]): boolean {
  return text.length >= 3 && names.some((name) => name.startsWith(text));
}

function strictOrder({ assignments }: SimpleCommand): boolean {
  return assignments.some(({ name }) => name === "POSIXLY_CORRECT");
}
