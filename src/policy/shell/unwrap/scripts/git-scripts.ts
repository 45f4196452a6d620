import { optionValues } from "./option-values.ts";

/** Options of git before its subcommand that take the next word as value (git(1)). */
const valued = /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix|--attr-source)$/;

/** Settings whose value git starts as a program or reads as a script (git-config(1)). */
const programKey =
  /(command|cmd|pager|editor|program|external|textconv|fsmonitor|helper|proxy|driver|clean|smudge|process|hookspath|askpass|uploadpack|receivepack|packobjectshook|smtpserver)$/i;

/** Scripts among git's words: aliases, settings that name programs, and what subcommands run. */
export function gitScripts(words: readonly string[]): string[] {
  const settings = optionValues(words, { short: "c", long: ["config-env", "config"] });
  let at = 0;
  while (at < words.length && words[at]?.startsWith("-") === true) at += valued.test(words[at] ?? "") ? 2 : 1;
  const [verb = "", ...rest] = words.slice(at);
  return [...settings.flatMap(settingScript), ...verbScripts(verb, rest)];
}

function settingScript(setting: string): string[] {
  const cut = setting.indexOf("=");
  return cut < 0 ? [] : valueScript(setting.slice(0, cut), setting.slice(cut + 1));
}

function valueScript(key: string, value: string): string[] {
  if (/^alias\./i.test(key)) return value.startsWith("!") ? [value.slice(1)] : [];
  return programKey.test(key) || /^pager\./i.test(key) ? [value.replace(/^!/, "")] : [];
}

const everywhere: readonly string[] = [
  "exec",
  "extcmd",
  "upload-pack",
  "receive-pack",
  "open-files-in-pager",
  "sendmail-cmd",
  "tree-filter",
  "index-filter",
  "env-filter",
  "msg-filter",
  "commit-filter",
  "parent-filter",
  "tag-name-filter",
];

function verbScripts(verb: string, rest: readonly string[]): string[] {
  const found = optionValues(rest, { long: everywhere });
  switch (verb) {
    case "rebase":
    case "difftool":
      return [...found, ...optionValues(rest, { short: "x" })];
    case "clone":
      return [...found, ...optionValues(rest, { short: "u", valued: "bcjo" })];
    case "grep":
      return [...found, ...optionValues(rest, { glued: "O", valued: "ABCefm" })];
    case "bisect":
      return rest[0] === "run" ? [...found, rest.slice(1).join(" ")] : found;
    case "submodule": {
      const each = rest.indexOf("foreach");
      const inner = rest.slice(each + 1).filter((word) => !/^(--recursive|--quiet|-q)$/.test(word));
      return each < 0 ? found : [...found, inner.join(" ")];
    }
    case "config": {
      const key = rest.findIndex((word) => /^[\w-]+\./.test(word));
      return key < 0 ? found : [...found, ...valueScript(rest[key] ?? "", rest[key + 1] ?? "")];
    }
    default:
      return found;
  }
}
