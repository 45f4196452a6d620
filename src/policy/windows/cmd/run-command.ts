import { fearedText } from "../programs/feared-text.ts";
import { runProgram } from "../programs/run-program.ts";
import { programName, splitLine } from "../programs/program-call.ts";
import { touchPath } from "../programs/touch-path.ts";
import type { WindowsState } from "../windows-state.ts";
import { slashes, type CmdWalk } from "./cmd-walk.ts";
import { builtinAliases, isBuiltin, runBuiltin } from "./run-builtin.ts";
import { withoutCarets } from "./cmd-reader.ts";
import type { CmdNode, CmdWord } from "./cmd-script.ts";
import { expandAgain, isItself, isUnknown, knownParts, shownText } from "./expand-percents.ts";

/** Names that end where their own letters end: `rd/s`, `cd\`, `echo.`. */
const builtin =
  /^(rd|rmdir|del|erase|cd|chdir|dir|type|copy|move|ren|rename|md|mkdir|pushd|popd|set|call|start|echo|format|cmd|cls|rem|mklink)((?:[\\/.:(+[\]]).*)$/is;

/** Runs one command and gives what it prints where that is known. */
export function runCommand(
  node: CmdNode & { kind: "command" },
  walk: CmdWalk,
  fed: string | undefined,
): string | undefined {
  const { state } = walk;
  const [first, ...rest] = node.words;
  if (first === undefined) {
    for (const each of node.redirects) touchRedirect(each, state.found.run("cmd", ["cmd"], [], false), state);
    return undefined;
  }
  const { name, glued, plain } = splitName(first);
  if (name === "rem") return undefined;
  const line = withoutCarets(glued.length > 0 ? node.from(0).slice(name.length) : node.from(1));
  // A path in front of a built-in name makes it a program.
  const built = (plain || glued.length > 0) && isBuiltin(name);
  const words = built
    ? [...glued.map((text): CmdWord => ({ text, quoted: false })), ...rest]
    : splitLine(line).map((text): CmdWord => ({ text, quoted: false }));
  const known = words.map(({ text }) => (isUnknown(text) ? undefined : text));
  const dynamic = isUnknown(first.text) || known.includes(undefined);
  const head = first.text.slice(0, first.text.length - glued.join("").length);
  const aliases = [name, ...builtinAliases(name)];
  const effect = state.found.run(
    shownText(name),
    [head, ...words.map(({ text }) => text)].map(shownText),
    aliases.map(shownText),
    dynamic,
  );
  for (const each of node.redirects) touchRedirect(each, effect, state);
  if (isItself(first.text)) countItself(walk);
  const inner = innerText(name, node.from, rest, walk);
  if (inner !== undefined) {
    state.found.opaque(effect.text, `${name} decides what runs`, "syntax");
    const text = shownText(inner);
    if (state.again(text.length + 64)) return walk.text(text, walk, fed);
    state.found.opaque(text, "commands inside commands go too deep", "unread");
    fearedText(text, state);
    return undefined;
  }
  if (built) {
    const own = runBuiltin({ name, words, known, from: node.from, effect, fed }, walk);
    if (own.why !== undefined) state.found.opaque(effect.text, own.why, "syntax");
    return own.printed;
  }
  if (isUnknown(first.text)) {
    state.found.opaque(effect.text, "the program is not known before it runs", "dynamic");
    return withoutUnknown(first.text, node.from(1), walk);
  }
  const call = { name, words: known, line: shownText(line), effect, fed: fed === undefined ? [] : [fed] };
  const why = runProgram(call, state) ?? (plain ? undefined : "the program is named in an unusual way");
  if (why !== undefined) state.found.opaque(effect.text, why, "syntax");
  return undefined;
}

/** `r%x%d`: in a batch file a variable that is not set is nothing. What is left is looked at where it is worth it. */
function withoutUnknown(name: string, rest: string, walk: CmdWalk): undefined {
  const left = knownParts(name);
  if (!feared.test(left) || !walk.state.again(left.length + rest.length + 64)) return undefined;
  walk.text(`${left} ${shownText(rest)}`, walk, undefined);
  return undefined;
}

const feared =
  /^(rd|rmdir|del|erase|format|diskpart|reg|robocopy|forfiles|sudo|runas|cmd|powershell|pwsh|wsl|bash|call|start)(\W|$)/i;

function touchRedirect(
  { reads, target }: { readonly reads: boolean; readonly target: string },
  owner: Parameters<typeof touchPath>[3],
  state: WindowsState,
): void {
  touchPath(reads ? "read" : "write", isUnknown(target) ? undefined : target, {}, owner, state);
}

/** The command that `call` and `start` run. */
function innerText(
  name: string,
  from: (word: number) => string,
  words: readonly CmdWord[],
  walk: CmdWalk,
): string | undefined {
  if (name === "call") return expandAgain(from(1), walk.state).replaceAll("^^", "^");
  if (name !== "start") return undefined;
  let at = 0;
  let titled = false;
  for (; ; at += 1) {
    const word = words[at];
    // The first quoted word is the window's title.
    if (word?.quoted === true && !titled && words[at + 1] !== undefined) titled = true;
    else if (word?.text.startsWith("/") !== true) break;
    else if (/^\/(d|affinity|node)$/i.test(word.text)) at += 1;
  }
  const waits = words.slice(0, at).some(({ text }) => /^\/w(ait)?$/i.test(text));
  if (!waits) walk.starts += 1;
  if (!waits && walk.endless) blockBomb(walk);
  return from(at + 1);
}

function countItself(walk: CmdWalk): void {
  walk.itself += 1;
  if (walk.itself > 1 || walk.endless) blockBomb(walk);
}

function blockBomb({ state }: CmdWalk): void {
  state.found.block("windows-fork-bomb", state.found.run("cmd", ["cmd"], [], false));
}

/** `rd/s/q`, `cd\`, `cd..`, `echo.`: a built-in command ends where its name ends. */
function splitName(word: CmdWord): {
  readonly name: string;
  readonly glued: readonly string[];
  readonly plain: boolean;
} {
  const [, short = "", rest = ""] = builtin.exec(word.text) ?? [];
  if (short !== "" && !/^\.(exe|com|bat|cmd)$/i.test(rest) && !/^[\\/.][^\\/]*\.\w+$/.test(rest))
    return { name: short.toLowerCase(), glued: slashes(rest), plain: true };
  if (isUnknown(word.text)) return { name: word.text, glued: [], plain: false };
  return { name: programName(word.text), glued: [], plain: /^[\w-]+$/.test(word.text) };
}
