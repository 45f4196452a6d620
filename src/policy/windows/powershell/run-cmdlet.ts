import { runLine } from "../programs/run-program.ts";
import { textFor, valuesOf, type CmdletCall } from "./cmdlet-call.ts";
import { defineItem } from "./define-item.ts";
import { guardObject, guardOpen } from "./guard-objects.ts";
import { fileCmdlet, touchBound } from "./file-cmdlet.ts";
import { locationCmdlet } from "./location-cmdlet.ts";
import { removeItem } from "./remove-item.ts";
import { runBlock } from "./run-block.ts";
import type { Walk } from "./session.ts";
import { startProcess } from "./start-process.ts";
import { forEach, select, where } from "./stream-cmdlets.ts";
import { gathered, isFalse, itemsOf, nothing, text, textOf, textsOf, type Value } from "./value.ts";

/** Runs a cmdlet of the table and gives what it passes on. Whatever of it is not understood makes it opaque. */
export function runCmdlet(call: CmdletCall, walk: Walk): Value {
  const { found } = walk.state;
  const { bound, effect } = call;
  if (bound.why !== undefined) found.opaque(effect.text, bound.why, "dynamic");
  if (bound.rest.length > 0) found.opaque(effect.text, "it has more words than it takes", "syntax");
  for (const name of ["outvariable", "errorvariable", "warningvariable", "informationvariable", "pipelinevariable"])
    if (bound.values.has(name)) found.opaque(effect.text, "a parameter sets a variable", "environment");
  const hidden = hides(call);
  if (hidden !== undefined) found.opaque(effect.text, hidden, "environment");
  touchBound(call, walk);
  const value = dispatch(call, walk);
  const kept = textFor(call, "outvariable");
  if (kept !== undefined) walk.session.variables.set(kept.replace("+", "").toLowerCase(), value);
  return value;
}

/** What a known cmdlet does besides what its paths say. */
function hides({ name, bound }: CmdletCall): string | undefined {
  if (["tosession", "fromsession", "computername", "credential"].some((each) => bound.values.has(each)))
    return "it works on another machine or for another account";
  if (name === "start-transcript" && !bound.values.has("path") && !bound.values.has("literalpath"))
    return "it writes a file that is not named";
  return name === "tee-object" && bound.values.has("variable") ? "a parameter sets a variable" : undefined;
}

function dispatch(call: CmdletCall, walk: Walk): Value {
  const { state, session } = walk;
  const { effect, bound, name } = call;
  const block = (id: "windows-format" | "windows-elevation"): Value => {
    if (!bound.switches.has("whatif")) state.found.block(id, effect);
    return undefined;
  };
  switch (name) {
    case "remove-item":
      return removeItem(call, walk);
    case "foreach-object":
      return forEach(call, walk);
    case "where-object":
      return where(call, walk);
    case "sort-object":
    case "get-unique":
    case "out-string":
    case "tee-object":
    case "select-object":
      return select(call, walk);
    case "write-output":
      return gathered([...valuesOf(call, "inputobject"), ...bound.rest]);
    case "invoke-expression": {
      const texts = [...valuesOf(call, "command"), ...bound.rest, ...itemsOf(walk.input?.value)].flatMap(textsOf);
      const known = texts.filter((text) => text !== undefined);
      return gathered(
        (known.length > 1 ? [known.join("\n"), ...known] : known).map((text) => walk.steps.text(text, walk)),
      );
    }
    case "invoke-command":
    case "start-job":
    case "start-threadjob":
      if (name === "start-job" && bound.values.has("credential")) block("windows-elevation");
      return callBlocks(call, walk);
    case "start-process":
      return startProcess(call, walk);
    case "set-alias":
    case "new-alias":
      defineItem(`alias:${textFor(call, "name") ?? ""}`, valuesOf(call, "value")[0], walk);
      return nothing;
    case "set-variable":
    case "new-variable":
      session.variables.set((textFor(call, "name") ?? "").toLowerCase(), bound.values.get("value")?.[0]);
      return nothing;
    case "get-variable":
      return session.variables.get((textFor(call, "name") ?? "").toLowerCase());
    case "set-item":
      defineItem(textFor(call, "path") ?? textFor(call, "literalpath") ?? "", valuesOf(call, "value")[0], walk);
      return nothing;
    case "new-psdrive":
      session.drives.set((textFor(call, "name") ?? "").toLowerCase(), textFor(call, "root") ?? "");
      return nothing;
    case "get-psdrive": {
      const drive = textFor(call, "name") ?? "?";
      return text(`${/^[a-z]$/i.test(drive) ? drive : "?"}:\\`);
    }
    case "new-object":
      guardObject(bound.values.get("property")?.[0], effect, walk);
      guardOpen(textFor(call, "typename") ?? "", valuesOf(call, "argumentlist").map(textOf), effect, walk);
      return undefined;
    case "get-alias":
    case "get-command":
      return (textFor(call, "name") ?? "*").includes("*") ? undefined : valuesOf(call, "name")[0];
    case "invoke-wmimethod":
    case "invoke-cimmethod":
      for (const value of [...bound.values.values()].flat()) lines(value, walk);
      return undefined;
    case "new-scheduledtaskaction":
      runLine(`${textFor(call, "execute") ?? ""} ${textFor(call, "argument") ?? ""}`, state);
      return undefined;
    case "new-scheduledtaskprincipal":
    case "register-scheduledtask": {
      const who = textFor(call, "userid") ?? textFor(call, "user") ?? textFor(call, "groupid") ?? "";
      const high = /^h/i.test(textFor(call, "runlevel") ?? "");
      if (high || /^((nt authority|builtin)\\)?(system|administrators?|s-1-5-18|localsystem)$/i.test(who))
        return block("windows-elevation");
      return undefined;
    }
    case "format-volume":
    case "clear-disk":
    case "initialize-disk":
    case "remove-partition":
    case "reset-physicaldisk":
      return block("windows-format");
    default:
      return locationCmdlet(call, walk) ?? fileCmdlet(call, walk);
  }
}

/** Blocks that run with arguments: once more, with what they are called with. */
function callBlocks(call: CmdletCall, walk: Walk): Value {
  const words = valuesOf(call, "argumentlist").map((value) => ({
    value,
    parameter: undefined,
    glued: false,
    splat: false,
  }));
  const blocks = ["scriptblock", "initializationscript"].flatMap((name) => valuesOf(call, name));
  let value: Value;
  for (const each of blocks)
    if (each?.kind === "block") value = runBlock({ ...each, parameters: undefined }, words, walk);
  return value;
}

/** Command lines in the values of a call: texts, and those in tables. */
function lines(value: Value, walk: Walk): void {
  if (value?.kind === "table") for (const each of value.entries.values()) lines(each, walk);
  else if (!isFalse(value))
    for (const text of textsOf(value)) if (text !== undefined && /\s/.test(text)) runLine(text, walk.state);
}
