import { limits } from "../../../src/policy/shell/limits.ts";

const size = limits.decidedUnits;

function repeated(piece: string): string {
  return piece.repeat(Math.floor(size / piece.length));
}

function numbered(piece: (at: number) => string): string {
  let text = "";
  for (let at = 0; ; at += 1) {
    const next = text + piece(at);
    if (next.length > size) return text;
    text = next;
  }
}

function nested(open: string, inside: string, close: string): string {
  const depth = Math.floor((size - inside.length) / (open.length + close.length));
  return open.repeat(depth) + inside + close.repeat(depth);
}

/** Texts as long as texts are decided, each made to cost much in its own way. */
export function longTexts(): ReadonlyMap<string, string> {
  return new Map([
    ["many commands", repeated("a;")],
    ["many different commands", numbered((at) => `a${at};`)],
    ["many commands in a pipeline", repeated("a|")],
    ["many different ways", numbered((at) => `v${at}=1&&`)],
    ["many words", numbered((at) => (at === 0 ? "x " : `a/${at} `))],
    ["many patterns", numbered((at) => (at === 0 ? "rm " : `a${at}*/b `))],
    ["many substitutions", `echo ${repeated("$(a)").slice(8)}`],
    ["many backticks", repeated("`")],
    ["nested substitutions", nested('"$(', "a", ')"')],
    ["sh -c", repeated("sh -c a;")],
    ["sh -c around everything", `sh -c '${repeated("a;").slice(10)}'`],
    ["nested subshells", repeated("(")],
    ["nested groups", repeated("{")],
    ["braces", `echo ${repeated("{a,b}").slice(5)}`],
    ["here-documents", repeated("cat <<E\na\nE\n")],
    ["case arms", `case x in ${numbered((at) => `a${at}) b${at};;`).slice(0, -30)} esac`],
    ["arithmetic", `echo $((${nested("(", "1", ")").slice(6, -6)}))`],
    ["defaults", repeated("${a:-${b:-")],
    ["tests", `[[ ${repeated("( ").slice(4)}`],
    ["folders", numbered((at) => `cd d${at};`)],
    ["links", numbered((at) => `ln -s a b${at};`)],
    ["find actions", `find . ${repeated("-exec a {} \\; ").slice(20)}`],
  ]);
}
