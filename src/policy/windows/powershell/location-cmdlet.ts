import { readWindowsPath, windowsText } from "../paths/windows-path.ts";
import { moveTo } from "../windows-state.ts";
import { type CmdletCall, textFor, valuesOf } from "./cmdlet-call.ts";
import { drivePath } from "./file-cmdlet.ts";
import type { Walk } from "./session.ts";
import { nothing, text, textOf, type Value } from "./value.ts";

/** Cmdlets about folders and the texts of paths. Undefined: it is none of them, or what it gives is not known. */
export function locationCmdlet(call: CmdletCall, walk: Walk): Value {
  const { state } = walk;
  switch (call.name) {
    case "set-location":
    case "push-location":
      change(call, walk);
      return nothing;
    case "pop-location":
      state.found.opaque(call.effect.text, "pop-location changes what follows", "environment");
      moveTo(state, undefined);
      return nothing;
    case "get-location":
      return state.cwd === undefined ? undefined : text(windowsText(state.cwd));
    case "join-path": {
      const parts = ["path", "childpath", "additionalchildpath"].flatMap((name) => valuesOf(call, name)).map(textOf);
      return parts.every((part) => part !== undefined) ? text(parts.join("\\")) : undefined;
    }
    case "split-path": {
      const path = textFor(call, "path") ?? textFor(call, "literalpath");
      if (path === undefined) return undefined;
      const cut = Math.max(path.lastIndexOf("\\"), path.lastIndexOf("/"));
      if (call.bound.switches.has("leaf")) return text(path.slice(cut + 1));
      if (call.bound.switches.has("qualifier")) return text(/^\w+:/.exec(path)?.[0] ?? "");
      return [...call.bound.switches].some((name) => name !== "parent") ? undefined : text(path.slice(0, cut + 1));
    }
    default:
      return undefined;
  }
}

function change(call: CmdletCall, walk: Walk): void {
  const { state } = walk;
  const glued = /^cd(\.\.|[\\/~])$/i.exec(call.program)?.[1];
  const given = [...valuesOf(call, "path"), ...valuesOf(call, "literalpath")];
  const target = glued ?? (given.length === 0 ? "~" : textOf(given[0]));
  if (given.length === 0 && glued === undefined && call.name === "push-location") return;
  const known = target === undefined || target === "-" || target === "+" ? undefined : drivePath(target, walk);
  walk.session.place =
    known !== undefined && /^(hk|registry|microsoft\.powershell\.core\\registry)[\w.]*:/i.test(known)
      ? known.replace(/(?<!\\)\\+$/, "")
      : "";
  if (call.name !== "set-location" || known === undefined || walk.session.place !== "")
    state.found.opaque(call.effect.text, `${call.name} changes what follows`, "environment");
  moveTo(state, known === undefined ? undefined : readWindowsPath(known, state.cwd, state.home));
}
