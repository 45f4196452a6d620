import { guardTree } from "./touch-path.ts";
import { knownWords, type ProgramCall } from "./program-call.ts";
import type { WindowsState } from "../windows-state.ts";

/** Blocks programs that overwrite disks, delete whole folders or the machine's settings. */
export function guardDestroyers(call: ProgramCall, state: WindowsState): void {
  const { found } = state;
  const { effect, name } = call;
  const words = knownWords(call);
  switch (name) {
    case "format":
      if (words.some((word) => /^([a-z]:|\\\\[?.]\\)/i.test(word))) found.block("windows-format", effect);
      return;
    case "diskpart":
      if (!onlyLooks(words, call.fed)) found.block("windows-format", effect);
      return;
    case "reg":
      if (/^delete$/i.test(words[0] ?? "") && isHive(words[1] ?? "")) found.block("windows-registry", effect);
      return;
    case "robocopy":
      if (words.some((word) => /^\/(mir|purge)$/i.test(word))) guardTree(words[1] ?? "", false, effect, state);
      if (words.some((word) => /^\/(mov|move)$/i.test(word))) guardTree(words[0] ?? "", false, effect, state);
      return;
    case "rimraf":
    case "del-cli":
    case "trash":
    case "rm":
    case "rmdir":
    case "srm":
      if (/^(rimraf|del-cli|trash)$/.test(name) || words.some((word) => /^-\w*[rR]\w*$|^--r\w*$/.test(word)))
        for (const word of words) if (!word.startsWith("-")) guardTree(word, true, effect, state);
      return;
    case "dd":
      if (words.some((word) => /^of=\\\\[?.]\\/i.test(word))) found.block("windows-device", effect);
      return;
    case "find":
      if (words.includes("-delete") && words.length === 2) guardTree(words[0] ?? "", true, effect, state);
      return;
    default:
  }
}

const hives =
  "hklm|hkcu|hkcr|hku|hkcc|hkey_local_machine|hkey_current_user|hkey_classes_root|hkey_users|hkey_current_config";
const hive = new RegExp(`^(?:\\\\\\\\[^\\\\]+\\\\)?(?:${hives}):?\\\\*([^\\\\]*)(\\\\.*)?$`, "i");

/** A hive itself, or a key at its top such as `HKLM\SOFTWARE`, as reg and PowerShell spell them. */
export function isHive(text: string): boolean {
  const bare = text
    .trim()
    .replace(/^(?:microsoft\.powershell\.core\\)?registry::/i, "")
    .replaceAll("/", "\\");
  const found = hive.exec(bare);
  return found !== null && /^\\*[*]?$/.test(found[2] ?? "");
}

/** diskpart is harmless where it only shows its help, or all that is piped into it only looks. */
function onlyLooks(words: readonly string[], fed: readonly string[]): boolean {
  if (words.some((word) => /^[-/](\?|help)$/i.test(word))) return true;
  if (words.some((word) => /^[-/]s$/i.test(word)) || fed.length === 0) return false;
  return fed
    .join("\n")
    .split(/[\r\n]+/)
    .every((line) => /^\s*((list|lis|detail|select|sel|help|exit|rem|rescan)\b.*)?$/i.test(line));
}
