import { runBlock } from "./run-block.ts";
import { type CmdletCall, textFor, valuesOf } from "./cmdlet-call.ts";
import type { Walk } from "./session.ts";
import { readProperty } from "./members.ts";
import { gathered, itemsOf, textOf, type Block, type Value } from "./value.ts";

/** ForEach-Object: its blocks once more for each value that is known, or one member of each. */
export function forEach(call: CmdletCall, walk: Walk): Value {
  const names = ["process", "begin", "end", "remainingscripts", "parallel"];
  const values = [...names.flatMap((name) => valuesOf(call, name)), ...call.bound.rest];
  const items = walk.input === undefined ? [] : itemsOf(walk.input.value);
  const blocks = values.filter((value): value is Block => value?.kind === "block");
  if (blocks.length === 0) {
    const member = textFor(call, "membername") ?? textOf(values[0]);
    return member === undefined ? undefined : gathered(items.map((item) => readProperty(item, member.toLowerCase())));
  }
  const outputs: Value[] = [];
  for (const item of items) {
    if (item === undefined) outputs.push(undefined);
    for (const block of item === undefined ? [] : blocks)
      outputs.push(...itemsOf(runBlock({ ...block, parameters: [] }, [], { ...walk, input: { value: item } })));
  }
  return gathered(outputs);
}

/** Where-Object: a test that lets everything through passes it on; what others leave is not known. */
export function where(call: CmdletCall, walk: Walk): Value {
  const [test] = valuesOf(call, "filterscript");
  const passes =
    test?.kind === "block"
      ? /^\s*(\$true|[1-9]\d*|\$_(\.\w+)?|'[^']+'|"[^"]+"|!\$false|-not\s+\$false|1\s*-eq\s*1|\$_(\.\w+)?\s+-i?(like|match)\s+['"](\*|\*\.\*|\.|\.\*)['"])\s*$/i.test(
          blockText(test),
        )
      : /^(fullname|name|exists|pspath)$/i.test(textOf(test) ?? "") && !call.bound.values.has("value");
  return passes ? walk.input?.value : undefined;
}

function blockText({ page, script }: Block): string {
  const [first] = script;
  const command = first?.commands[0];
  return script.length === 1 && first?.commands.length === 1 && command !== undefined
    ? page.text.slice(command.from, command.to)
    : "";
}

/** Cmdlets that pass on what they are given, or one property of it. */
export function select(call: CmdletCall, walk: Walk): Value {
  const property = textFor(call, "expandproperty");
  const value = walk.input?.value;
  if (property !== undefined) return gathered(itemsOf(value).map((item) => readProperty(item, property.toLowerCase())));
  return value;
}
