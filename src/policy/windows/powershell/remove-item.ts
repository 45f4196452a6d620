import { isHive } from "../programs/guard-destroyers.ts";
import { guardTree, touchPath } from "../programs/touch-path.ts";
import { valuesOf, type CmdletCall } from "./cmdlet-call.ts";
import { drivePath, isNarrowed } from "./file-cmdlet.ts";
import type { Walk } from "./session.ts";
import { itemsOf, nothing, textOf, textsOf, type Value } from "./value.ts";

/** What is to be deleted. */
interface Target {
  readonly text: string | undefined;
  readonly wildcards: boolean;
  /** True for a listing of everything below. */
  readonly deep: boolean;
  /** True where all that a folder holds is piped in: as good as the folder, even where each would be asked for. */
  readonly listed: boolean;
}

/** Remove-Item: what it is given by name, position or pipe; recursive or not. */
export function removeItem(call: CmdletCall, walk: Walk): Value {
  const { state } = walk;
  const { bound, effect } = call;
  const only = bound.switches.has("whatif");
  const tree = bound.switches.has("recurse") || walk.session.recursive || nativeRecursive(call);
  const narrowed = isNarrowed(call);
  for (const { text, wildcards, deep, listed } of targetsOf(call, walk)) {
    const path = text === undefined ? undefined : drivePath(text, walk);
    if ((tree || deep || listed) && !narrowed && !only && path !== undefined) {
      guardTree(path, wildcards, effect, state);
      if (isHive(path) || isHive(`${walk.session.place}\\${path}`)) state.found.block("windows-registry", effect);
    }
    if (path !== undefined && /^(env|variable|alias|function):/i.test(path))
      state.found.opaque(effect.text, "it takes away names that what follows may use", "environment");
    else if (!only) touchPath("delete", path, { wildcards, classes: true, tree: tree || deep }, effect, state);
  }
  return nothing;
}

function targetsOf(call: CmdletCall, walk: Walk): readonly Target[] {
  const given = (name: string, wildcards: boolean): readonly Target[] =>
    valuesOf(call, name).map((value) => ({
      text: textOf(value),
      // One listed name stands for all that a folder holds.
      wildcards: wildcards || isListed(value),
      deep: isDeep(value),
      listed: false,
    }));
  const more = call.bound.rest
    .flatMap(textsOf)
    .filter((text) => text?.startsWith("-") !== true)
    .map((text) => ({ text, wildcards: true, deep: false, listed: false }));
  // What is listed is a name; to look at it as a pattern finds more, never less.
  const piped = walk.input === undefined ? [] : itemsOf(walk.input.value);
  return [
    ...given("path", true),
    ...given("literalpath", false),
    ...more,
    ...piped.map((value) => ({
      text: textOf(value),
      wildcards: true,
      deep: isDeep(value),
      listed: isListed(value),
    })),
  ];
}

function isListed(value: Value): boolean {
  return value?.kind === "text" && value.listed === true;
}

function isDeep(value: Value): boolean {
  return value?.kind === "text" && value.deep === true;
}

/** On Linux `rm` is the system's own program, with its own options: `rm -rf x`. */
function nativeRecursive({ program, bound, effect }: CmdletCall): boolean {
  if (!/^(.*[\\/])?rm$/i.test(program)) return false;
  if (bound.why === undefined && !effect.argv.some((word) => word.startsWith("--r"))) return false;
  return effect.argv.slice(1).some((word) => /^-[a-zA-Z]*[rR][a-zA-Z]*$|^--r\w*$/.test(word));
}
