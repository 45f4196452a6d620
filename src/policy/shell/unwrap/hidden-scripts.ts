import { fedTo } from "../builtins/texts.ts";
import { textOf } from "../programs/words.ts";
import type { Invocation } from "../walk/invocation.ts";
import { onlyChecking, type Walk } from "../walk/walk.ts";
import { runScriptText } from "./script-word.ts";

/** Scripts that well-known programs take among their words. The program's own row says that it asks; here only the blocklist looks. */
export function checkHiddenScripts(name: string, call: Invocation, walk: Walk): void {
  const words = call.argv.slice(1).map((word) => textOf(word) ?? "");
  const inner: Invocation = { ...call, wrappers: [...call.wrappers, call.argv], external: true };
  for (const script of scriptsIn(name, words, call)) runScriptText(script, true, inner, onlyChecking(walk));
}

function scriptsIn(name: string, words: readonly string[], call: Invocation): string[] {
  switch (name) {
    case "git":
      return gitScripts(words);
    case "at":
    case "batch":
      return [fedTo(call.state) ?? ""];
    case "tar":
    case "gtar":
    case "bsdtar":
      return words.flatMap(
        (word) =>
          /^--(?:checkpoint-action=exec|to-command|use-compress-program|rsh-command|info-script|new-volume-script)=([\s\S]*)$/.exec(
            word,
          )?.[1] ?? [],
      );
    case "make":
    case "gmake":
      return words.flatMap((word) => /^--eval=(?:[\s\S]*\$\(shell )?([\s\S]*?)\)?$/.exec(word)?.[1] ?? []);
    case "rsync":
      return behindOption(words, /^(-e|--rsh|--rsync-path)$/, /^(?:--rsh=|--rsync-path=)([\s\S]*)$/);
    case "awk":
    case "gawk":
    case "mawk":
    case "nawk":
      return words.flatMap((word) =>
        [...word.matchAll(/(?:system\s*\(\s*"([^"]*)"|"([^"]*)"\s*\|\s*getline|\|\s*"([^"]*)")/g)].flatMap(
          ([, ...found]) => found.filter((text) => text !== undefined),
        ),
      );
    case "vim":
    case "vi":
    case "nvim":
    case "ex":
    case "ed":
      return [...words, fedTo(call.state) ?? ""].flatMap((word) =>
        [...word.matchAll(/(?:^|[:+\n|])\s*!([^\n]*)/g)].map(([, text]) => text ?? ""),
      );
    default:
      return [];
  }
}

function gitScripts(words: readonly string[]): string[] {
  const config = behindOption(words, /^-c$/, /^--config-env=([\s\S]*)$/).flatMap((entry) => {
    const [, key = "", value = ""] = /^([^=]*)=([\s\S]*)$/.exec(entry) ?? [];
    if (/^alias\./i.test(key)) return value.startsWith("!") ? [value.slice(1)] : [];
    return /(command|pager|editor|program|external|textconv|fsmonitor|cmd|helper|proxy|driver|clean|smudge|process|hookspath|askpass)$/i.test(
      key,
    )
      ? [value.replace(/^!/, "")]
      : [];
  });
  const rest = behindOption(
    words,
    /^(-x|--exec|--extcmd|--tree-filter|--index-filter|--env-filter|--msg-filter|--commit-filter|--upload-pack|--receive-pack)$/,
    /^--(?:exec|extcmd|tree-filter|index-filter|env-filter|msg-filter|commit-filter|upload-pack|receive-pack)=([\s\S]*)$/,
  );
  const each = words.indexOf("foreach");
  const bisect = words[0] === "bisect" && words[1] === "run" ? [words.slice(2).join(" ")] : [];
  return [
    ...config,
    ...rest,
    ...bisect,
    ...(words[0] === "submodule" && each > 0
      ? [
          words
            .slice(each + 1)
            .filter((word) => word !== "--recursive" && word !== "--quiet")
            .join(" "),
        ]
      : []),
  ];
}

function behindOption(words: readonly string[], separate: RegExp, glued: RegExp): string[] {
  return words.flatMap((word, index) => {
    if (separate.test(word)) return words[index + 1] ?? [];
    return glued.exec(word)?.[1] ?? [];
  });
}
