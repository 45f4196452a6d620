import { limits } from "../limits.ts";
import { decodeEscapes } from "./escapes.ts";

const directive = /%(?:%|[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z]))/g;

/** What bash's printf prints; undefined where a directive is not followed. */
export function printfText(words: readonly string[]): string | undefined {
  const [format, ...args] = words[0] === "--" ? words.slice(1) : words;
  if (format === undefined) return "";
  const rest = [...args];
  let text = "";
  // The format is used again until the arguments are used up.
  do {
    const before = rest.length;
    const piece = once(format, rest);
    if (piece === undefined) return undefined;
    text += piece;
    if (rest.length === before) break;
  } while (rest.length > 0 && text.length <= limits.outputUnits);
  return text;
}

function once(format: string, args: string[]): string | undefined {
  let failed = false;
  const text = decodeEscapes(format, false).replace(directive, (all, letter: string | undefined) => {
    if (letter === undefined) return "%";
    if (all.includes("*")) failed = true;
    const arg = args.shift() ?? "";
    switch (letter) {
      case "s":
        return arg;
      case "b":
        return decodeEscapes(arg, true);
      case "c":
        return arg.slice(0, 1);
      case "q":
      case "d":
      case "i":
        return arg;
      default:
        failed = true;
        return "";
    }
  });
  return failed ? undefined : text;
}
