import { literal } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { silent, unchanged, type Outcome } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import { opaque, type Walk } from "../walk/walk.ts";
import { reportsHiddenCode } from "../walk/hidden-code.ts";
import { literalOutput } from "../output/literal-output.ts";
import type { Builtin } from "./builtin.ts";
import { cd, popd, pushd } from "./folders.ts";
import { evaluate, later, meanings, source, trapped } from "./texts.ts";
import { assigns, declare, set, shift, unset } from "./variables.ts";

/** Builtins that change the shell, or in whose words bash itself finds code. All others are plain commands. */
export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ["cd", cd],
  ["pushd", pushd],
  ["popd", popd],
  ["eval", evaluate],
  ["source", source],
  [".", source],
  ["trap", trapped],
  ["alias", later],
  ["complete", completion],
  ["compgen", completion],
  ["bind", completion],
  ["fc", again],
  ["mapfile", mapfile],
  ["readarray", mapfile],
  ["read", assigns],
  ["getopts", assigns],
  ["let", assigns],
  ["wait", wait],
  ["printf", print],
  ["export", declare],
  ["declare", declare],
  ["typeset", declare],
  ["local", declare],
  ["readonly", declare],
  ["unset", unset],
  ["set", set],
  ["shift", shift],
  ["enable", meanings],
  ["hash", meanings],
  ["shopt", meanings],
  ["unalias", meanings],
  ["test", test],
  ["[", test],
  [":", quiet],
  ["true", quiet],
  ["false", quiet],
]);

function print(call: Invocation, walk: Walk): Outcome {
  if (call.argv.slice(1).some((word) => scriptText(word).startsWith("-v"))) return assigns(gluedName(call), walk);
  emitCommand(call, walk);
  return unchanged(call.state, literalOutput("printf", call));
}

/** `wait -p NAME` sets a variable. */
function wait(call: Invocation, walk: Walk): Outcome {
  if (call.argv.some((word) => scriptText(word).startsWith("-p"))) return assigns(call, walk);
  emitCommand(call, walk);
  return unchanged(call.state, silent);
}

/** `printf -vNAME`: the name as a word of its own would be. */
function gluedName(call: Invocation): Invocation {
  const argv = call.argv.flatMap((word): Word[] => {
    const name = word.kind === "literal" ? /^-v(.+)$/s.exec(word.value)?.[1] : undefined;
    return name === undefined ? [word] : [literal("-v"), literal(name)];
  });
  return { ...call, argv };
}

function completion(call: Invocation, walk: Walk): Outcome {
  const words = call.argv.slice(1);
  // A list of words is text, but bash expands it when it completes.
  const texts = words.filter((_, at) => {
    const before = words[at - 1];
    return before === undefined || !/^-\w*[WAoGPSX]$/.test(scriptText(before));
  });
  if (words.some((word) => /^-\w*[CFxW]/.test(scriptText(word)))) return later(call, walk, texts);
  emitCommand(call, walk);
  return unchanged(call.state);
}

/** `fc` runs what the history holds; with `-l` it lists it. */
function again(call: Invocation, walk: Walk): Outcome {
  if (call.argv.slice(1).every((word) => !/^-[nr]*l/.test(scriptText(word))))
    opaque(walk, "fc", "it runs commands of the history", "dynamic");
  emitCommand(call, walk);
  return unchanged(call.state);
}

/** `mapfile -C TEXT` runs a text for the lines it reads. */
function mapfile(call: Invocation, walk: Walk): Outcome {
  return call.argv.some((word) => /^-\w*C/.test(scriptText(word))) ? later(call, walk) : assigns(call, walk);
}

function test(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  reportsHiddenCode(call.argv.slice(1), call.state, walk);
  return unchanged(call.state, silent);
}

function quiet(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  return unchanged(call.state, silent);
}
