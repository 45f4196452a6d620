import { knownWords, type ProgramCall } from "./program-call.ts";

/** Programs whose only purpose is another account's rights. */
const always = /^(sudo|sudoedit|sudo-rs|doas|su|pkexec|run0|gsudo|hsudo|elevate|nsudo(l[cg])?|psudo)$/;

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
      return leading(words).some((word) => /^[-/](s|h|u)$/i.test(word));
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

/** The options before the program that it starts. */
function leading(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => !/^([-/]|\\\\|\d+$)/.test(word));
  return end < 0 ? words : words.slice(0, end);
}
