import { runLine } from "../programs/run-program.ts";
import { isRawDevice } from "../paths/raw-device.ts";
import { guardTree } from "../programs/touch-path.ts";
import type { MethodCall, PowerShellWord } from "./powershell-script.ts";
import { guardOpen } from "./guard-objects.ts";
import { evaluate } from "./evaluate.ts";
import { runBlock } from "./run-block.ts";
import type { Walk } from "./session.ts";
import { isFalse, itemsOf, textOf, textsOf, type Value } from "./value.ts";
import { meaningOf } from "./words.ts";

/** Looks at methods that delete folders, start programs, or run texts. All other methods stay what they are: expressions that nobody sees through. */
export function guardCalls(word: PowerShellWord, walk: Walk): void {
  const [, name = ""] = /^\$(\w+)\./.exec(word.text) ?? [];
  for (const call of word.calls) {
    guardCall(call, walk);
    if (call.member === "foreach") forEachMember(word, call, walk);
    // `$x.Invoke(…)`
    const value = /^invoke(returnasis)?$/.test(call.member) ? meaningOf(walk).variable(name.toLowerCase()) : undefined;
    if (value?.kind === "block") runBlock({ ...value, parameters: undefined }, argumentsOf(call, walk), walk);
  }
}

/** `'C:\'.ForEach({ … })`: the block once more for each value in front of it. */
function forEachMember(word: PowerShellWord, call: MethodCall, walk: Walk): void {
  const part = word.values[0]?.[0];
  const [block] = itemsOf(walk.outputs.get(call.from));
  if (part?.kind !== "expression" || block?.kind !== "block") return;
  const values = itemsOf(evaluate(part.from, call.from - ".foreach(".length, meaningOf(walk)));
  for (const value of values)
    if (value !== undefined) runBlock({ ...block, parameters: [] }, [], { ...walk, input: { value } });
}

function argumentsOf(
  call: MethodCall,
  walk: Walk,
): { value: Value; parameter: undefined; glued: false; splat: false }[] {
  return itemsOf(walk.outputs.get(call.from)).map((value) => ({
    value,
    parameter: undefined,
    glued: false,
    splat: false,
  }));
}

function guardCall(call: MethodCall, walk: Walk): void {
  const { state } = walk;
  const { found } = state;
  const words = itemsOf(walk.outputs.get(call.from));
  const [first, second] = words;
  const path = textOf(first);
  const shown = [
    `${call.type === "" ? "" : `[${call.type}]`}${call.isStatic ? "::" : "."}${call.member}`,
    ...textsOf(walk.outputs.get(call.from)).map((each) => each ?? "?"),
  ];
  const member = call.member.startsWith("$")
    ? textOf(meaningOf(walk).variable(call.member.slice(1)))?.toLowerCase()
    : call.member;
  if (call.isStatic && words.map(textOf).some((text) => text !== undefined && isRawDevice(text)))
    guardOpen(member ?? "", words.map(textOf), found.run(call.member, shown, [], false), walk);
  switch (member) {
    case "delete":
      // Of an object it deletes what the object is: that is not known. Of a type it deletes what is named, with all below where it says so.
      if (call.isStatic && path !== undefined && words.length > 1 && !isFalse(second))
        guardTree(path, false, found.run(call.member, shown, [], false), state);
      return;
    case "deletedirectory":
    case "deletefolder":
      if (path !== undefined) guardTree(path, true, found.run(call.member, shown, [], false), state);
      return;
    case "invokescript":
    case "newscriptblock":
    case "addscript":
      for (const text of textsOf(first)) if (text !== undefined) walk.steps.text(text, walk);
      return;
    case "create":
      for (const text of textsOf(first)) {
        if (text === undefined) continue;
        if (/scriptblock|powershell/.test(call.type)) walk.steps.text(text, walk);
        else runLine(text, state);
      }
      return;
    case "run":
    case "exec":
    case "start":
    case "shellexecute": {
      const texts = words.flatMap(textsOf).filter((text) => text !== undefined);
      if (texts.some((text) => /^runas(user)?$/i.test(text)))
        found.block("windows-elevation", found.run(call.member, shown, [], false));
      if (texts.length > 0) runLine(texts.join(" "), state);
      return;
    }
    default:
  }
}
