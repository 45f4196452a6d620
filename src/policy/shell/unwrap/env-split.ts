import type { Word } from "../simple-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import type { Outcome } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import { opaque, type Walk } from "../walk/walk.ts";

/** `env -S 'words'`: splits the text (env(1)) and starts env again with its words. Undefined: there is no such option. */
export function runEnvSplit(call: Invocation, walk: Walk): Outcome | undefined {
  const { argv } = call;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at];
    const text = word === undefined ? "" : scriptText(word);
    if (!text.startsWith("-") || text === "--") return undefined;
    const glued = /^(?:-[i0v]*S|--s[plit-]*string=|--s[plit-]*=)([\s\S]*)$/.exec(text)?.[1];
    const separate = /^(-[i0v]*S|--s[plit-]*(string)?)$/.test(text);
    if (separate || glued !== undefined) {
      const value = separate ? argv[at + 1] : word;
      if (value === undefined) return undefined;
      if (value.kind !== "literal") opaque(walk, scriptText(value), "the text that env splits is not known", "dynamic");
      const words = splitText(separate ? scriptText(value) : (glued ?? ""));
      const rest = argv.slice(separate ? at + 2 : at + 1);
      const first = argv[0];
      if (first === undefined) return undefined;
      return walk.steps.invoke(
        { ...call, argv: [first, ...argv.slice(1, at), ...words, ...rest], wrappers: [...call.wrappers, argv] },
        walk,
      );
    }
    if (/^(-[uCa]|--unset|--chdir|--argv0)$/.test(text)) at += 1;
  }
  return undefined;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);

/** Splits as env -S does: blanks, both quotes, backslashes, `${NAME}`, and `#` for a comment. */
function splitText(text: string): Word[] {
  const words: Word[] = [];
  let value = "";
  let open = false;
  let quote = "";
  let dynamic = false;
  const close = (): void => {
    if (open)
      words.push(
        dynamic
          ? { kind: "dynamic", text: value, parts: [undefined], why: "it holds a variable" }
          : { kind: "literal", value },
      );
    value = "";
    open = false;
    dynamic = false;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    const next = text[at + 1] ?? "";
    if (character === quote) quote = "";
    else if (character === "\\" && (quote !== "'" || next === "'" || next === "\\")) {
      at += 1;
      if (next === "c") break;
      if (next === "_" && quote === "") close();
      else {
        value += next === "_" ? " " : (escapes.get(next) ?? next);
        open = true;
      }
    } else if (quote === "" && /\s/.test(character)) close();
    else if (quote === "" && (character === "'" || character === '"')) {
      quote = character;
      open = true;
    } else if (quote === "" && !open && character === "#") break;
    else {
      dynamic ||= character === "$" && next === "{" && quote !== "'";
      value += character;
      open = true;
    }
  }
  close();
  return words;
}
