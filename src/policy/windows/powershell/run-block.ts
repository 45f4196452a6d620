import { fearedTurns } from "../programs/feared-text.ts";
import type { Argument } from "./bind-parameters.ts";
import { parameterNames } from "./statements.ts";
import type { Walk } from "./session.ts";
import { itemsOf, text, textOf, type Block, type Value } from "./value.ts";

/** A block or a function with what its parameters are called; undefined: they stand in the block itself. */
interface Callable extends Block {
  readonly parameters: readonly string[] | undefined;
}

/** Runs a block with arguments: `$args`, and parameters by name or position. It was walked once before, without them. */
export function runBlock(block: Callable, words: readonly Argument[], walk: Walk): Value {
  const { session, state } = walk;
  if (!state.again(block.to - block.from + 64)) {
    const values = [...words.map(({ value }) => value), ...itemsOf(walk.input?.value)].map(textOf);
    fearedTurns(block.page.text.slice(block.from, block.to), values, true, state);
    return undefined;
  }
  const names = block.parameters ?? blockParameters(block);
  const bound = new Map<string, Value>();
  const free: Value[] = [];
  let pending: string | undefined;
  for (const { parameter, glued, value } of words) {
    const name = parameter === undefined ? pending : names.find((each) => each.startsWith(parameter));
    pending = undefined;
    if (name === undefined) {
      // What is no parameter of the block is one of its arguments.
      if (parameter !== undefined) free.push(text(`-${parameter}`));
      if (parameter === undefined || glued) free.push(value);
    } else if (parameter === undefined || glued) bound.set(name, value);
    else pending = name;
  }
  for (const name of names) if (!bound.has(name) && free.length > 0) bound.set(name, free.shift());
  bound.set("args", { kind: "list", items: free });
  const before = [...bound.keys()].map((name) => [name, session.variables.get(name)] as const);
  for (const [name, value] of bound) session.variables.set(name, value);
  const outputs = new Map(walk.page === block.page ? walk.outputs : []);
  const value = walk.steps.script(block.script, {
    ...walk,
    page: block.page,
    outputs,
    input: undefined,
    item: walk.input ?? walk.item,
  });
  for (const [name, old] of before) session.variables.set(name, old);
  return value;
}

/** The names of `{ param ($a, $b) … }`. */
function blockParameters({ page, from, to }: Block): readonly string[] {
  return parameterNames(page.text.slice(from, to));
}
