import { resolvePath, type AbsolutePath } from "../../../model/absolute-path.ts";
import { lookUp } from "../expand/look-up.ts";
import { textOf } from "../programs/words.ts";
import { limits } from "../limits.ts";
import type { Word } from "../simple-command.ts";
import { mergeCwds } from "../state/merge-states.ts";
import type { Cwds, ShellState } from "../state/shell-state.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { silent, unchanged, type Outcome } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import type { Walk } from "../walk/walk.ts";

/** `cd`: success leads to the folder, failure stays. */
export function cd(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const { state } = call;
  const operands = call.argv.slice(1);
  let physical = false;
  let at = 0;
  for (; at < operands.length; at += 1) {
    const option = textOf(operands[at]);
    if (option === undefined || !/^-[LPe@]+$/.test(option)) break;
    physical = option.lastIndexOf("P") > option.lastIndexOf("L");
  }
  if (textOf(operands[at]) === "--") at += 1;
  const target = operands[at];
  const text = textOf(target);
  if (text === "-") return enter(state, state.previous, state.stack);
  const cwds =
    target === undefined ? homes(state, walk) : text === "" ? state.cwds : targets(target, state, physical, walk);
  return enter(state, cwds, state.stack);
}

/** `pushd`: as cd, and remembers the folder. Turning the stack is not followed. */
export function pushd(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const { state } = call;
  const operands = call.argv.slice(1).filter((word) => textOf(word) !== "--");
  const [target, ...others] = operands;
  if (target === undefined) {
    const [top, ...rest] = state.stack ?? [];
    return top === undefined ? enter(state, [undefined], undefined) : enter(state, top, [state.cwds, ...rest]);
  }
  if (others.length > 0 || /^[-+]/.test(scriptText(target))) return enter(state, [undefined], undefined);
  const stack =
    state.stack === undefined || state.stack.length >= limits.cwds ? undefined : [state.cwds, ...state.stack];
  return enter(state, targets(target, state, false, walk), stack);
}

/** `popd` goes back to the folder that pushd left. */
export function popd(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const { state } = call;
  const [top, ...rest] = state.stack ?? [];
  return call.argv.length > 1 || top === undefined ? enter(state, [undefined], undefined) : enter(state, top, rest);
}

/** Folders that a word may name from any of the present ones. */
export function targets(word: Word, state: ShellState, physical: boolean, walk: Walk): Cwds {
  const text = textOf(word);
  if (text === undefined) return [undefined];
  const found = state.cwds.map((cwd) => enterFrom(cwd, text, physical, walk));
  // CDPATH can lead elsewhere; `.` and absolute names are safe from it.
  const lists = state.variables.get("CDPATH");
  if (lists === undefined || /^\.{0,2}\//.test(text)) return unique(found);
  const folders = (lists.value ?? "")
    .split(":")
    .map((folder) => state.cwds.map((cwd) => enterFrom(enterFrom(cwd, folder, false, walk), text, physical, walk)));
  return unique([...found, ...folders.flat(), ...(lists.value === undefined ? [undefined] : [])]);
}

/** bash goes by the text of a path; `-P` goes by the real folders. */
function enterFrom(
  cwd: AbsolutePath | undefined,
  text: string,
  physical: boolean,
  walk: Walk,
): AbsolutePath | undefined {
  if (cwd === undefined && !text.startsWith("/")) return undefined;
  const start = cwd ?? ("/" as AbsolutePath);
  if (start.length + text.length > limits.folderUnits) return undefined;
  if (!physical) return resolvePath(start, text);
  let at: AbsolutePath | undefined = text.startsWith("/") ? ("/" as AbsolutePath) : walk.real(start);
  for (const part of text.split("/"))
    at = at === undefined ? undefined : real(resolvePath(at, part === "" ? "." : part), walk);
  return at;
}

function real(path: AbsolutePath | undefined, walk: Walk): AbsolutePath | undefined {
  return path === undefined ? undefined : walk.real(path);
}

function homes(state: ShellState, walk: Walk): Cwds {
  const { value } = lookUp("HOME", state, walk);
  return value === undefined ? [undefined] : targets({ kind: "literal", value }, state, false, walk);
}

function enter(state: ShellState, cwds: Cwds, stack: ShellState["stack"]): Outcome {
  const inside: ShellState = { ...state, cwds: mergeCwds(cwds, cwds), previous: state.cwds, stack };
  return { ...unchanged(state, silent), ok: inside };
}

function unique(cwds: Cwds): Cwds {
  const all = [...new Set(cwds)];
  return all.length <= limits.cwds ? all : [...all.slice(0, limits.cwds), undefined];
}
