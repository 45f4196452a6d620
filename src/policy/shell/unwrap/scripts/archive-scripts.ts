import { findAll, optionValues } from "./option-values.ts";

const longTar = ["to-command", "use-compress-program", "rsh-command", "info-script", "new-volume-script"] as const;

/** Programs that tar starts: for members, checkpoints, volumes, compression (tar(1)); its first word may be letters without a dash. */
export function tarScripts(words: readonly string[]): string[] {
  const actions = findAll(optionValues(words, { long: ["checkpoint-action"] }), /^exec=([\s\S]*)$/g);
  return [
    ...actions,
    ...optionValues(words, { short: "IF", valued: "bCfgHKLNTVX", long: longTar }),
    ...oldStyle(words),
  ];
}

/** `tar cIf PROGRAM FILE`: the values follow in the order of their letters. */
function oldStyle([letters = "", ...rest]: readonly string[]): string[] {
  if (!/^[A-Za-z]+$/.test(letters)) return [];
  const taking = letters.split("").filter((letter) => "bCfgHKLNTVXIF".includes(letter));
  return taking.flatMap((letter, index) => (letter === "I" || letter === "F" ? (rest[index] ?? []) : []));
}

/** zip -TT names the program that tests the archive. */
export function zipScripts(words: readonly string[]): string[] {
  return [
    ...optionValues(words, { long: ["unzip-command"] }),
    ...words.flatMap((word, at) => (word === "-TT" ? (words[at + 1] ?? []) : (/^-TT([\s\S]+)$/.exec(word)?.[1] ?? []))),
  ];
}

/** Programs that rsync, scp and sftp reach another host with. */
export function rsyncScripts(words: readonly string[]): string[] {
  return optionValues(words, { short: "e", valued: "fTBM", long: ["rsh"] });
}

/** As rsyncScripts, for the family of ssh. */
export function copyScripts(words: readonly string[]): string[] {
  return [
    ...optionValues(words, { short: "SD", valued: "BbcFiJlPRsoX" }),
    ...sshSettings(optionValues(words, { short: "o", valued: "BbcDFiJlPRSsX" })),
  ];
}

/** Commands in the settings of ssh (ssh_config(5)). */
export function sshSettings(settings: readonly string[]): string[] {
  return findAll(settings, /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[=\s]\s*([\s\S]*)$/gi);
}
