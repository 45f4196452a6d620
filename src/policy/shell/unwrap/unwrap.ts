import { fearedPrograms } from "../../blocklist/feared-programs.ts";
import { limits } from "../limits.ts";
import { textOf } from "../programs/words.ts";
import { isOwnScriptShell, runShell } from "./inline-shell.ts";
import type { Invocation } from "../walk/invocation.ts";
import { emitCommand } from "../walk/emit-command.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";
import { runEnvSplit } from "./env-split.ts";
import { runFind } from "./find.ts";
import { checkHiddenScripts } from "./hidden-scripts.ts";
import { runParallel } from "./parallel.ts";
import { runWrapper } from "./run-wrapper.ts";
import { runSsh } from "./ssh.ts";
import { wrappers } from "./wrapper-table.ts";
import { runXargs } from "./xargs.ts";

/** Takes one wrapper off a command and runs what is inside. Undefined: the program is no wrapper. */
export function unwrap(name: string, outer: Invocation, walk: Walk): Outcome | undefined {
  const unwrapped = (outer.unwrapped ?? 0) + 1;
  if (unwrapped > limits.wrappers) return tooMany(outer, walk);
  const call: Invocation = { ...outer, unwrapped, wrappers: outer.wrappers.slice(0, limits.wrapperForms) };
  if (isOwnScriptShell(name)) return runShell(name, call, walk);
  switch (name) {
    case "xargs":
    case "gxargs":
      return runXargs(call, walk);
    case "find":
    case "gfind":
      return runFind(call, walk);
    case "parallel":
    case "rush":
      return runParallel(call, walk);
    case "ssh":
      return runSsh(call, walk);
    case "env":
    case "genv":
      return runEnvSplit(call, walk) ?? runRow("env", 1, call, walk);
    default:
  }
  const loader = /^ld(-linux[\w.-]*)?\.so(\.\d+)?$/.test(name) ? "ld.so" : name;
  const direct = runRow(loader, 1, call, walk);
  if (direct !== undefined) return direct;
  const sub = textOf(call.argv[1]);
  const nested = sub === undefined ? undefined : runRow(`${name} ${sub}`, 2, call, walk);
  if (nested !== undefined) return nested;
  checkHiddenScripts(name, call, walk);
  return undefined;
}

/** Gives up unwrapping; the blocklist looks at what may be inside. */
function tooMany(call: Invocation, walk: Walk): Outcome {
  opaque(walk, "wrappers", "more wrappers around a command than are taken off", "limit");
  emitCommand(call, walk);
  const names = call.argv.map((word) => textOf(word)?.replace(/^.*\//s, ""));
  for (const name of fearedPrograms) {
    const at = names.lastIndexOf(name);
    if (at >= 0) emitCommand({ ...call, argv: call.argv.slice(at) }, onlyChecking(walk));
  }
  return unchanged(call.state);
}

function runRow(key: string, from: number, call: Invocation, walk: Walk): Outcome | undefined {
  const row = wrappers.get(key);
  return row === undefined ? undefined : runWrapper(row, from, call, walk);
}
