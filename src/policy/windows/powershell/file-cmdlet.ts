import { nowhere, readWindowsPath } from "../paths/windows-path.ts";
import { touchPath } from "../programs/touch-path.ts";
import { places } from "../cmd/cmd-copies.ts";
import { defineItem } from "./define-item.ts";
import { type CmdletCall, textFor, valuesOf } from "./cmdlet-call.ts";
import type { Walk } from "./session.ts";
import { meaningOf } from "./words.ts";
import { gathered, itemsOf, nothing, text, textOf, type Value } from "./value.ts";

/** Touches the paths of all parameters that say by themselves what is done to them, and what is piped in for them. */
export function touchBound(call: CmdletCall, walk: Walk): void {
  const { effect, bound, specs, name } = call;
  if (bound.switches.has("whatif")) return;
  let given = false;
  for (const { names, takes } of specs) {
    if (takes !== "read" && takes !== "write" && takes !== "delete") continue;
    const literal = names[0] === "literalpath";
    for (const value of valuesOf(call, names[0] ?? "")) {
      given = true;
      const path = textOf(value);
      if (path !== undefined && name === "set-content") defineItem(path, valuesOf(call, "value")[0], walk);
      touchPath(
        takes,
        path === undefined ? undefined : drivePath(path, walk),
        { wildcards: !literal, classes: true },
        effect,
        walk.state,
      );
    }
  }
  const [first] = specs;
  if (given || walk.input === undefined || !/^(get-content|get-filehash|clear-content|import-csv|get-acl)$/.test(name))
    return;
  const kind = first?.takes === "write" ? "write" : "read";
  for (const value of itemsOf(walk.input.value))
    touchPath(kind, textOf(value), { wildcards: true, classes: true, tree: isDeep(value) }, effect, walk.state);
}

function isDeep(value: Value): boolean {
  return value?.kind === "text" && value.deep === true;
}

/** A path on a drive that the text itself has made. */
export function drivePath(path: string, { session }: Walk): string {
  const [, drive = "", rest = ""] = /^([\w.]+):(.*)$/s.exec(path) ?? [];
  const root = session.drives.get(drive.toLowerCase());
  return root === undefined ? path : `${root}\\${rest}`;
}

/** True where a filter lets only some names through. */
export function isNarrowed(call: CmdletCall): boolean {
  return ["filter", "include"].some((name) => {
    const patterns = valuesOf(call, name).map(textOf);
    return patterns.length > 0 && !patterns.some((pattern) => pattern !== undefined && /^\*(\.\*)?$/.test(pattern));
  });
}

/** Cmdlets that list, copy, move and make files, and what they pass on. */
export function fileCmdlet(call: CmdletCall, walk: Walk): Value {
  const { state } = walk;
  const { effect, bound, name } = call;
  const live = !bound.switches.has("whatif");
  const named = [
    ...valuesOf(call, "path").map((value) => ({ value, wildcards: true })),
    ...valuesOf(call, "literalpath").map((value) => ({ value, wildcards: false })),
    ...(walk.input === undefined || name === "new-item"
      ? []
      : itemsOf(walk.input.value).map((value) => ({ value, wildcards: true }))),
  ].map(({ value, wildcards }) => {
    const path = textOf(value);
    return { path: path === undefined ? undefined : drivePath(path, walk), wildcards, deep: isDeep(value) };
  });
  const touch = (
    kind: "read" | "write" | "delete",
    path: string | undefined,
    wildcards: boolean,
    tree = false,
  ): void => {
    if (live) touchPath(kind, path, { wildcards, classes: true, tree }, effect, state);
  };
  const tree = bound.switches.has("recurse");
  switch (name) {
    case "get-childitem":
    case "get-item":
    case "resolve-path":
    case "convert-path": {
      const children = name === "get-childitem";
      const all = named.length === 0 && children ? [{ path: ".", wildcards: true, deep: false }] : named;
      for (const { path, wildcards, deep } of all)
        touch("read", path, wildcards, tree || deep || bound.values.has("depth"));
      if (isNarrowed(call)) return undefined;
      const listed = children && !bound.switches.has("file");
      if (bound.switches.has("name")) return { kind: "text", text: "*", deep: tree, listed };
      return gathered(
        all.map(({ path }) => {
          const value = environmentValue(path, walk);
          return value === undefined
            ? listing(path, children, { deep: tree, listed })
            : { kind: "table", entries: new Map([["value", value]]) };
        }),
      );
    }
    case "get-content":
      return environmentValue(named[0]?.path, walk);
    case "import-csv":
      return undefined;
    case "copy-item":
    case "move-item": {
      const target = textFor(call, "destination");
      const given = bound.values.has("destination");
      for (const { path, wildcards, deep } of named) {
        touch("read", path, wildcards, tree || deep || name === "move-item");
        if (name === "move-item") touch("delete", path, wildcards, true);
        for (const place of places(path, given ? target : "."))
          touch("write", place, true, tree || name === "move-item");
      }
      return nothing;
    }
    case "rename-item":
      for (const { path, wildcards } of named) {
        touch("delete", path, wildcards, true);
        const next = textFor(call, "newname");
        const folder = path?.slice(0, Math.max(path.lastIndexOf("\\"), path.lastIndexOf("/")) + 1);
        touch(
          "write",
          next === undefined || folder === undefined ? undefined : /[\\/]/.test(next) ? next : folder + next,
          false,
        );
      }
      return nothing;
    case "new-item": {
      const leaf = bound.values.has("name") ? textFor(call, "name") : "";
      for (const { path } of named.length === 0 ? [{ path: "." }] : named) {
        const full = path === undefined || leaf === undefined ? undefined : leaf === "" ? path : `${path}\\${leaf}`;
        if (full !== undefined) defineItem(full, valuesOf(call, "value")[0], walk);
        touch("write", full, false);
      }
      if (/^(s|j|h)/i.test(textFor(call, "itemtype") ?? ""))
        state.found.opaque(effect.text, "a link changes what paths mean", "syntax");
      return gathered(named.map(({ path }) => (path === undefined ? undefined : text(path))));
    }
    case "expand-archive":
      touch("write", bound.values.has("destinationpath") ? textFor(call, "destinationpath") : ".", false, true);
      return nothing;
    case "compress-archive":
      for (const { path, wildcards } of named) touch("read", path, wildcards, true);
      return nothing;
    case "clear-item":
      state.found.opaque(effect.text, "what it clears is not known", "syntax");
      return nothing;
    default:
      return undefined;
  }
}

/** What a variable of the environment holds, where a path names one: `Env:\\TEMP`. */
function environmentValue(path: string | undefined, walk: Walk): Value {
  const name = /^env:[\\/]?([^\\/*?]+)$/i.exec(path ?? "")?.[1];
  return name === undefined ? undefined : meaningOf(walk).variable(`env:${name.toLowerCase()}`);
}

/** What a listing passes on. The children of a folder stand for the folder. */
function listing(path: string | undefined, children: boolean, how: { deep: boolean; listed: boolean }): Value {
  if (path === undefined) return undefined;
  const inside = children && readWindowsPath(path, nowhere, nowhere) !== undefined;
  return { kind: "text", text: inside ? `${path.replace(/[\\/]$/, "")}\\*` : path, ...how };
}
