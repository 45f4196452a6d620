import { has, parseOptions } from "../shell/programs/parse-options.ts";
import { optionTable } from "../shell/programs/option-table.ts";
import { rsyncOptions } from "../shell/programs/remote.ts";
import { baseOf, headOf, inFolder, literal, shown, textOf } from "../shell/programs/words.ts";
import type { Word } from "../shell/simple-command.ts";

const rsync = optionTable(rsyncOptions);

/** Folders that rsync empties of all that its sources do not hold (rsync(1), `--delete`): where a source ends in a slash the target itself, else the folder of its name in there. */
export function mirroredByRsync(words: readonly Word[]): readonly Word[] {
  const parsed = parseOptions(words, rsync, "exact");
  const deletes = parsed.given.some(({ option }) =>
    /^--del(ete(-before|-during|-delay|-after|-excluded)?)?$/.test(option.name),
  );
  if (!deletes || !has(parsed, "-a", "-r", "-d", "--dirs") || has(parsed, "-n", "--list-only")) return [];
  const target = parsed.operands.at(-1);
  if (target === undefined || /^[^/]*:/.test(shown(target))) return [];
  return parsed.operands.slice(0, -1).flatMap((source) => {
    if (/(^|\/)\.?$/.test(shown(source))) return [target];
    const name = baseOf(source);
    return name === undefined ? [] : [inFolder(target, name)];
  });
}

/** Folders that `git clean` empties of all that is not in the repository (git-clean(1)): with -f and -d, and without -n. */
export function cleanedByGit(words: readonly Word[]): readonly Word[] {
  let folder: Word = literal(".");
  let tree: Word | undefined;
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? literal("");
    const text = headOf(word);
    if (!text.startsWith("-")) break;
    const next = words[at + 1] ?? literal("");
    if (text === "-C") folder = headOf(next).startsWith("/") ? next : inFolder(folder, next);
    else if (text === "--work-tree") tree = next;
    else if (text.startsWith("--work-tree=") && word.kind === "literal")
      tree = literal(text.slice("--work-tree=".length));
    if (/^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(text)) at += 1;
  }
  if (textOf(words[at]) !== "clean") return [];
  const options = words.slice(at + 1).map((word) => textOf(word) ?? "");
  const given = (letter: string, long: string): boolean =>
    options.some((text) => text === long || new RegExp(`^-[a-zA-Z]*${letter}`).test(text));
  if (!given("f", "--force") || !given("d", "-d") || given("n", "--dry-run") || given("X", "-X")) return [];
  if (options.some((text) => text !== "" && !text.startsWith("-"))) return [];
  return [tree === undefined ? folder : headOf(tree).startsWith("/") ? tree : inFolder(folder, tree)];
}
