import { bindParameters } from "./bind-parameters.ts";
import { changesMachine, changesMeaning, commandName, isKeyword, properName } from "./powershell-names.ts";
import type { PowerShellCommand, PowerShellWord } from "./powershell-script.ts";
import { parametersOf } from "./cmdlet-table.ts";
import { guardObject } from "./guard-objects.ts";
import { guardCalls } from "./guard-calls.ts";
import { runBlock } from "./run-block.ts";
import type { CmdletCall } from "./cmdlet-call.ts";
import { runCmdlet } from "./run-cmdlet.ts";
import { runProgram } from "../programs/run-program.ts";
import { touchPath } from "../programs/touch-path.ts";
import type { Piped, Walk } from "./session.ts";
import { itemsOf, textOf, textsOf, type Value, weightOf } from "./value.ts";
import { evaluate } from "./evaluate.ts";
import { argumentOf, meaningOf, wordValue } from "./words.ts";

/** Work for a character of what a word stands for: it is joined, shown and searched. */
const unitsOfCharacter = 1 / 40;
/** Work for a character as it is shown. */
const unitsOfShown = 1 / 100;

/** Runs one command or expression, and gives what it passes on. What is inside its words was walked before. */
export function runCommand(command: PowerShellCommand, walk: Walk): Value {
  const { found } = walk.state;
  const [first, ...rest] = command.words;
  for (const word of command.words) guardCalls(word, walk);
  if (first === undefined) {
    redirect(command, walk);
    return undefined;
  }
  const program = wordValue(first, walk);
  if (command.operator === "" && !namesCommand(first)) {
    redirect(command, walk);
    const value = evaluate(command.from, command.to, meaningOf(walk));
    const hides = value === undefined || command.words.some((word) => word.nested.length > 0);
    guardObject(value, undefined, walk);
    if (hides) found.opaque(shown(command), "an expression is not seen through", "syntax");
    return value;
  }
  if (program?.kind === "block") {
    found.opaque(shown(command), "it is run by an operator", "syntax");
    return runBlock(
      { ...program, parameters: undefined },
      rest.map((word) => argumentOf(word, walk)),
      walk,
    );
  }
  return start(command, first, rest, textOf(program), walk);
}

/** True where a first word is a command and not the start of an expression. */
function namesCommand(word: PowerShellWord): boolean {
  const kind = word.values[0]?.[0]?.kind;
  return (
    word.bare &&
    word.values.length === 1 &&
    kind === "text" &&
    /^[^\d[({$!+,@-]/.test(word.text) &&
    !/^\.\d/.test(word.text)
  );
}

function start(
  command: PowerShellCommand,
  first: PowerShellWord,
  rest: readonly PowerShellWord[],
  program: string | undefined,
  walk: Walk,
): Value {
  const { state, session } = walk;
  const values = rest.map((word) => {
    const value = wordValue(word, walk);
    // A short word may stand for a long text, again and again.
    state.work.spend(weightOf(value) * unitsOfCharacter);
    return value;
  });
  const name = program === undefined ? "" : commandName(program, session.aliases);
  const argv = [program ?? first.text, ...rest.map((word, at) => textOf(values[at]) ?? word.text)];
  // A word holds the whole text of the commands in it, as do the words around it.
  state.work.spend(argv.reduce((sum, word) => sum + word.length, 0) * unitsOfShown);
  const dynamic = program === undefined || values.some((value) => textsOf(value).includes(undefined));
  const effect = state.found.run(name, argv, name === "" ? [] : [name, properName(name)], dynamic);
  redirect(command, walk, effect);
  const odd = oddity(command, first, name);
  if (odd !== undefined) state.found.opaque(effect.text, odd, program === undefined ? "dynamic" : "syntax");
  if (program === undefined) {
    // A variable that was never set is nothing.
    const left = textOf(wordValue(first, unsetWalk(first, walk)));
    if (left !== undefined && left !== "" && walk.state.again(left.length)) start(command, first, rest, left, walk);
    return undefined;
  }
  const words = rest.map((word, at) => argumentOf(word, walk, values[at]));
  const own = session.functions.get(name) ?? session.functions.get(program.toLowerCase());
  if (own !== undefined) {
    state.found.opaque(effect.text, "it is a function of the text", "syntax");
    return runBlock({ kind: "block", ...own }, words, walk);
  }
  const specs = parametersOf(name);
  if (specs !== undefined) {
    const call: CmdletCall = { name, effect, bound: bindParameters(words, specs), specs, program };
    return runCmdlet(call, walk);
  }
  const why = otherProgram(name, rest, values.flatMap(textsOf), effect, walk);
  if (why !== undefined) state.found.opaque(effect.text, why, "syntax");
  return undefined;
}

/** The walk in which what was never set is empty, also inside of a word's brackets. */
function unsetWalk(word: PowerShellWord, walk: Walk): Walk {
  if (word.nested.length === 0) return { ...walk, unset: true };
  walk.state.work.spend(walk.outputs.size / 10);
  const unset: Walk = { ...walk, unset: true, outputs: new Map(walk.outputs) };
  for (const from of word.nested) {
    const nested = walk.page.nested.get(from);
    if (nested !== undefined && walk.state.again(nested.to - from + 64))
      unset.outputs.set(from, walk.steps.script(nested.script, unset));
  }
  return unset;
}

/** What is no cmdlet of the table: a program, or a cmdlet that is not known. */
function otherProgram(
  name: string,
  rest: readonly PowerShellWord[],
  words: readonly (string | undefined)[],
  effect: CmdletCall["effect"],
  walk: Walk,
): string | undefined {
  const { state, input } = walk;
  if (name === "powershell" || name === "pwsh") callWithArguments(rest, walk);
  const fed = fedTexts(input);
  const plain = words.map((word) => word ?? "%?%");
  const quoted = plain.map((word, index) => (index > 0 && /\s/.test(word) ? `"${word}"` : word));
  const lines = new Set([` ${plain.join(" ")}`, ` ${quoted.join(" ")}`]);
  let why: string | undefined;
  for (const line of lines) why = runProgram({ name, words, line, effect, fed }, state);
  if (rest.some((word) => word.nested.length > 0)) return "a word holds commands";
  if (changesMachine(name)) return `${name} changes the machine`;
  if (/^[a-z]+-\w+$/.test(name) || changesMeaning(name))
    return (
      why ??
      (words.some((word) => /[\\/:~*?[\]]|^\.|[^\x20-\x7e]/.test(word ?? "\\")) ? "a word may be a path" : undefined)
    );
  return why;
}

/** `powershell -Command { … } -args …`. */
function callWithArguments(rest: readonly PowerShellWord[], walk: Walk): void {
  const [first, ...after] = rest.slice(
    Math.max(
      rest.findIndex((word) => word.block),
      0,
    ),
  );
  const block = first === undefined ? undefined : wordValue(first, walk);
  if (block?.kind !== "block") return;
  const words = after.map((word) => argumentOf(word, walk));
  runBlock(
    { ...block, parameters: undefined },
    words.filter(({ parameter }) => parameter === undefined),
    walk,
  );
}

function fedTexts(input: Piped | undefined): readonly string[] {
  const texts = input === undefined ? [] : itemsOf(input.value).map(textOf);
  const known = texts.filter((each) => each !== undefined);
  return known.length > 1 ? [known.join("\n"), ...known] : known;
}

/** The texts that a word becomes for a program. */
function wordTexts(word: PowerShellWord, walk: Walk): readonly (string | undefined)[] {
  return textsOf(wordValue(word, walk));
}

/** Why the way in which a command is started hides something. */
function oddity(command: PowerShellCommand, first: PowerShellWord, name: string): string | undefined {
  if (name === "") return "the program is not known before it runs";
  if (command.operator !== "") return "it is run by an operator";
  if (isKeyword(name) || (changesMeaning(name) && !name.endsWith("-location")))
    return `${name} changes what follows or runs text`;
  if (!/^[\w-]+(\.exe)?$/i.test(first.text)) return "the program is named in an unusual way";
  return undefined;
}

/** Files that output goes to. */
function redirect(command: PowerShellCommand, walk: Walk, owner?: CmdletCall["effect"]): void {
  for (const { reads, target } of command.redirects) {
    const effect = owner ?? walk.state.found.run("out-file", ["Out-File"], [], false);
    for (const text of wordTexts(target, walk)) touchPath(reads ? "read" : "write", text, {}, effect, walk.state);
  }
}

function shown(command: PowerShellCommand): string {
  return command.words.map((word) => word.text).join(" ");
}
