import type { ShellName } from "../../src/model/intent.ts";
import { limits } from "../../src/policy/shell/limits.ts";
import { bashGrammar } from "./bash-grammar.ts";
import { corpusTexts } from "./corpus-texts.ts";
import { generate, type Grammar } from "./grammar.ts";
import { openingPieces } from "./opening-pieces.ts";
import type { Random } from "./random.ts";
import { cmdGrammar, powershellGrammar } from "./windows-grammar.ts";

/** Where a text comes from. */
export type TextKind = "bytes" | "tokens" | "mutated" | "generated" | "inflated" | "repeated";

/** A text that was made up. */
export interface HostileText {
  readonly kind: TextKind;
  readonly text: string;
}

/** Longest text that is made, in UTF-16 units: what is decided at all. */
const longest = limits.decidedUnits;

const grammars: Readonly<Record<ShellName, Grammar>> = {
  bash: bashGrammar,
  powershell: powershellGrammar,
  cmd: cmdGrammar,
};

/** Pieces that mean something to a lexer, of all shells: foreign ones are as good as any. */
const tokens = [
  ..."\n \t ; & | ( ) { } < > ' \" ` $ \\ # ~ * ? [ ] ! = + - / , : @ % ^ \0 \r \x7f \u00a0 \u202e \ud800 é 😀".split(
    " ",
  ),
  ..."$( ${ $(( )) $[ <( >( << <<- <<< >> >& &> |& && || ;; ;& (( [[ ]] $' $\" ` \\\n \n# @( -- \\$ '\\'' <<E\n \nE\n".split(
    " ",
  ),
  ..."a ls cat git status rm -rf / sudo id x= x[ if then fi for in do done case esac while f() { function eval sh -c env time coproc select until".split(
    " ",
  ),
  ..."%i %% ^& /s rd C:\\ -Recurse @' '@ <# #> { } iex & .".split(" "),
];

/** Makes up texts for one shell. */
export function hostileTexts(shell: ShellName): (random: Random) => HostileText {
  const corpus = corpusTexts(shell);
  const generated = (random: Random): string => generate(grammars[shell], "script", random);
  const any = (random: Random): string => (random.chance(0.5) ? random.pick(corpus) : generated(random));
  return (random) => {
    switch (random.int(16)) {
      case 0:
      case 1:
      case 2:
        return { kind: "bytes", text: bytes(random) };
      case 3:
      case 4:
        return {
          kind: "tokens",
          text: Array.from({ length: random.int(40) }, () => random.pick(asTuple(tokens))).join(""),
        };
      case 5:
      case 6:
      case 7:
      case 8:
      case 9:
        return { kind: "mutated", text: mutated(random.pick(corpus), any, random) };
      case 14:
        return { kind: "inflated", text: inflated(any(random), random) };
      case 15:
        return { kind: "repeated", text: repeated(openingPieces[shell], random) };
      default:
        return { kind: "generated", text: generated(random) };
    }
  };
}

/** Bytes as a careless decoder gives them: as UTF-8, as Latin-1, or printable only. */
function bytes(random: Random): string {
  const size = random.chance(0.1) ? random.int(2000) : random.int(48);
  const printable = random.chance(0.5);
  const buffer = Buffer.from(Array.from({ length: size }, () => (printable ? 32 + random.int(95) : random.int(256))));
  return buffer.toString(random.chance(0.5) ? "utf8" : "latin1");
}

function mutated(start: string, any: (random: Random) => string, random: Random): string {
  let text = start;
  for (let turn = random.int(4); turn >= 0; turn -= 1) {
    const from = random.int(text.length + 1);
    const to = Math.min(text.length, from + random.int(8));
    const cut = text.slice(from, to);
    const middle = ((): string => {
      switch (random.int(7)) {
        case 0:
          return "";
        case 1:
          return cut + cut;
        case 2:
          return random.pick(asTuple(tokens));
        case 3:
          return cut + random.pick(asTuple(tokens));
        case 4:
          return any(random).slice(0, 200);
        case 5:
          return `'${cut}'`;
        default:
          return `$(${any(random).slice(0, 200)})`;
      }
    })();
    text = (text.slice(0, from) + middle + text.slice(to)).slice(0, longest);
  }
  return text;
}

/** A fragment made as long as texts may be: repeated, repeated with a number in it, or nested around itself. */
function inflated(fragment: string, random: Random): string {
  const from = random.int(fragment.length);
  const piece = fragment.slice(from, from + 1 + random.int(40));
  const size = Math.min(longest, 1024 << random.int(6));
  const sep = random.pick(["", "", " ", ";", "\n", "|", "&&", "\\\n"]);
  const count = Math.max(1, Math.floor(size / (piece.length + sep.length + 4)));
  const cut = random.int(piece.length + 1);
  switch (random.int(3)) {
    case 0:
      return (piece + sep).repeat(count).slice(0, longest);
    case 1:
      return Array.from({ length: count }, (_, at) => piece.slice(0, cut) + String(at) + piece.slice(cut) + sep)
        .join("")
        .slice(0, longest);
    default:
      return (
        (piece.slice(0, cut) + sep).repeat(count).slice(0, longest / 2) +
        (sep + piece.slice(cut)).repeat(count).slice(0, longest / 2)
      );
  }
}

/** A few pieces one after the other, again and again, perhaps with a number in it, perhaps with an end of many closing ones. */
function repeated(pieces: readonly [string, ...string[]], random: Random): string {
  const unit = Array.from({ length: 1 + random.int(5) }, () => random.pick(pieces)).join("");
  const size = random.pick([1000, 4000, 12_000, longest]);
  const numbered = random.chance(0.3);
  const count = Math.ceil(size / unit.length);
  const text = Array.from({ length: count }, (_, at) => (numbered ? unit.replace("a", `a${at}`) : unit)).join("");
  const end = random.chance(0.3) ? random.pick(["}", ")", "'", '"', "]]", "fi", "done"]).repeat(300) : "";
  return `${text.slice(0, size - end.length)}${end}`;
}

function asTuple<T>(items: readonly T[]): readonly [T, ...T[]] {
  const [first, ...others] = items;
  if (first === undefined) throw new Error("nothing to choose from");
  return [first, ...others];
}
