import { knownWords, type ProgramCall } from "./program-call.ts";

/** Programs whose only purpose is another account's rights. */
const always = /^(sudo|sudoedit|sudo-rs|doas|su|pkexec|run0|gsudo|hsudo|elevate|nsudo(l[cg])?|psudo|paexec-s)$/;

/** True where a program runs commands with the rights of another account, or asks for more rights than its user has. */
export function takesOtherRights(call: ProgramCall): boolean {
  const words = knownWords(call);
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word));
  switch (call.name) {
    case "runas":
      // The help, and the one form that gives rights away.
      return !has(/^\/(\?|help|trustlevel.*|showtrustlevels)$/i) && words.length > 0;
    case "psexec":
    case "psexec64":
    case "paexec":
      return has(/^[-/](s|h|u)$/i);
    case "schtasks":
      return (
        has(/^\/(create|change)$/i) && (follows(words, /^\/ru$/i, accounts) || follows(words, /^\/rl$/i, /^highest$/i))
      );
    case "wsl":
    case "wslg":
      return follows(words, /^(-u|--user)$/, /^root$/) || has(/^(--user=|-u)root$/);
    default:
      return always.test(call.name);
  }
}

const accounts = /^"?((nt authority|builtin)\\)?(system|administrators?|networkservice|localservice|s-1-5-18)"?$/i;

function follows(words: readonly string[], option: RegExp, value: RegExp): boolean {
  return words.some((word, index) => option.test(word) && value.test(words[index + 1] ?? ""));
}

/** The command behind the options of a program that only changes who runs it; undefined where it has none. */
export function innerLine(call: ProgramCall): string | undefined {
  const words = knownWords(call);
  if (!/^(sudo|gsudo|runas|psexec|psexec64|paexec|start|nsudo.*|elevate|hsudo)$/.test(call.name)) return undefined;
  const at = words.findIndex((word) => !/^([-/]|\\\\)/.test(word));
  return at < 0 ? undefined : words.slice(at).join(" ");
}
