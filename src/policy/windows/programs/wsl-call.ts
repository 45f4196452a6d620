/** What wsl hands to Linux. */
interface WslCall {
  readonly words: readonly string[];
  /** True where the user's shell reads the words again. */
  readonly throughShell: boolean;
}

/** Options with a value (wsl --help). */
const valued = /^(-d|--distribution|--distribution-id|-u|--user|--cd|--shell-type)$/;

/** Reads the words of `wsl …` and of a distribution's own launcher (`ubuntu run …`). Undefined where it starts no command that is named. */
export function wslCall(words: readonly string[]): WslCall | undefined {
  let at = 0;
  let throughShell = true;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (valued.test(word)) at += 1;
    else if (/^(-e|--exec)$/.test(word)) throughShell = false;
    else if (word === "--" || word === "run" || word === "-c") {
      at += 1;
      break;
    } else if (!/^(-|~$)/.test(word)) break;
  }
  const rest = words.slice(at);
  return rest.length === 0 ? undefined : { words: rest, throughShell };
}
