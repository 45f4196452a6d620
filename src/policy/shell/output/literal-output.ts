import { limits } from "../limits.ts";
import { textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import type { Output } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import { decodeInput } from "./decode.ts";
import { echoText } from "./echo.ts";
import { printedPaths } from "./printed-paths.ts";
import { printfText } from "./printf.ts";

/** What a command prints, as far as its words and its input tell. Undefined: not known. */
export function literalOutput(name: string, call: Invocation): Output | undefined {
  const output = outputOf(name, call);
  return output !== undefined && output.text.length <= limits.outputUnits ? output : undefined;
}

function outputOf(name: string, call: Invocation): Output | undefined {
  const words = call.argv.slice(1);
  switch (name) {
    case "echo":
      return printed(words, echoText);
    case "printf":
      return printed(words, printfText);
    case "cat":
      return words.every((word) => textOf(word) === "-") ? input(call) : contentsOf(words);
    case "tee":
      return input(call);
    case "yes":
      return words.length === 0 ? undefined : printed(words, echoText);
    case "base64":
    case "base32":
    case "xxd":
    case "openssl":
      return decodeInput(name, words, input(call));
    case "find":
      return findStarts(words);
    case "ls":
      return listed(words);
    case "sort":
    case "uniq":
    case "tac":
    case "head":
    case "tail":
      return passedOn(name, words, input(call));
    default: {
      const text = printedPaths(name, call);
      return text === undefined ? undefined : { text, sure: false };
    }
  }
}

/** Unknown words leave a guess in which they stay unknown. */
function printed(words: readonly Word[], print: (texts: readonly string[]) => string | undefined): Output | undefined {
  const text = print(words.map(scriptText));
  return text === undefined ? undefined : { text, sure: words.every((word) => word.kind === "literal") };
}

function input({ state }: Invocation): Output | undefined {
  if (state.stdin.kind === "literal") return { text: state.stdin.text, sure: true };
  return state.fed === undefined ? undefined : { text: state.fed, sure: false };
}

/** What `cat <(…)` prints. */
function contentsOf(words: readonly Word[]): Output | undefined {
  const contents = words.map((word) => (word.kind === "dynamic" ? word.contents : undefined));
  return contents.includes(undefined) ? undefined : { text: contents.join(""), sure: false };
}

/** Filters that print the lines of their input in some order. The first or last ones of several may be any: only a line that is alone is told. */
function passedOn(name: string, words: readonly Word[], given: Output | undefined): Output | undefined {
  const fromFile = words.map(scriptText).some((text) => !/^[-+]|^\d+$/.test(text));
  if (given === undefined || fromFile) return undefined;
  const alone = !/\n./s.test(given.text);
  return alone || !/^(head|tail)$/.test(name) ? { text: given.text, sure: false } : undefined;
}

/** `ls` prints everything in its folder, `ls -d` what its words stand for. */
function listed(words: readonly Word[]): Output | undefined {
  const texts = words.map(scriptText);
  const operands = texts.filter((text) => !/^-./.test(text));
  if (operands.length === 0) return { text: "*\n", sure: false };
  return texts.some((text) => /^-[a-zA-Z]*d/.test(text))
    ? { text: operands.map((text) => `${text}\n`).join(""), sure: false }
    : undefined;
}

const narrowing =
  /^-(name|iname|path|ipath|wholename|regex|iregex|newer|mtime|mmin|ctime|atime|size|empty|user|group|perm|inum|links|samefile|lname|fstype)/;

/** Without a test, find prints its start folders first. */
function findStarts(words: readonly Word[]): Output | undefined {
  const texts = words.map(scriptText);
  if (texts.some((text) => narrowing.test(text))) return undefined;
  const end = texts.findIndex((text) => /^[-!(]/.test(text));
  const starts = (end < 0 ? texts : texts.slice(0, end)).map((text) => `${text}\n`);
  return { text: starts.length === 0 ? ".\n" : starts.join(""), sure: false };
}
