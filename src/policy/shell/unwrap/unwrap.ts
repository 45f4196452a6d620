import { fearedPrograms } from "../../blocklist/feared-programs.ts";
import { limits } from "../limits.ts";
import { findProgram } from "../programs/program-table.ts";
import { textOf } from "../programs/words.ts";
import { runShell, shells } from "./inline-shell.ts";
import type { Invocation } from "../walk/invocation.ts";
import { emitCommand } from "../walk/emit-command.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";
import { runEnvSplit } from "./env-split.ts";
import { runFind } from "./find.ts";
import { runCapsh } from "./capsh.ts";
import { checkHiddenScripts, scriptPrograms } from "./scripts/hidden-scripts.ts";
import { runParallel } from "./parallel.ts";
import { runWrapper } from "./run-wrapper.ts";
import { runSsh } from "./ssh.ts";
import { runTmux } from "./tmux.ts";
import { wrappers } from "./wrapper-table.ts";
import { checkUnknownRunner } from "./unknown-runner.ts";
import { runXargs } from "./xargs.ts";

const loader = /^ld(-linux[\w.-]*)?\.so(\.\d+)?$/;

/** All programs that may start another. Most commands start none, and are told apart by this alone. */
const mayStart: ReadonlySet<string> = new Set([
  ...shells,
  ...scriptPrograms,
  "xargs",
  "gxargs",
  "find",
  "gfind",
  "parallel",
  "sem",
  "rush",
  "ssh",
  "env",
  "genv",
  "tmux",
  "capsh",
  ...Array.from(wrappers.keys(), (key) => key.split(" ", 1)[0] ?? key),
]);

/** Takes one wrapper off a command and runs what is inside. Undefined: the program is no wrapper. */
export function unwrap(name: string, outer: Invocation, walk: Walk): Outcome | undefined {
  if (startsNothing(name, outer)) return undefined;
  walk.work.spend(4 + outer.argv.length / 2);
  const unwrapped = (outer.unwrapped ?? 0) + 1;
  if (unwrapped > limits.wrappers) return tooMany(outer, walk);
  const call: Invocation = { ...outer, unwrapped, wrappers: outer.wrappers.slice(0, limits.wrapperForms) };
  if (shells.has(name)) return runShell(name, call, walk);
  switch (name) {
    case "xargs":
    case "gxargs":
      return runXargs(call, walk);
    case "find":
    case "gfind":
      return runFind(call, walk);
    case "parallel":
    case "sem":
    case "rush":
      return runParallel(call, walk);
    case "ssh":
      return runSsh(call, walk);
    case "env":
    case "genv":
      return runEnvSplit(call, walk) ?? runRow("env", 1, call, walk);
    default:
  }
  checkHiddenScripts(name, call, walk);
  if (name === "tmux") return runTmux(call, walk);
  if (name === "capsh") return runCapsh(call, walk);
  const direct = runRow(loader.test(name) ? "ld.so" : name, 1, call, walk);
  if (direct !== undefined) return direct;
  const [sub, second] = call.argv.slice(1).map(textOf);
  const nested =
    runRow(`${name} ${sub ?? ""}`, 2, call, walk) ?? runRow(`${name} ${sub ?? ""} ${second ?? ""}`, 3, call, walk);
  if (nested === undefined && findProgram(name) === undefined) checkUnknownRunner(name, call, walk);
  return nested;
}

/** True for most commands: of a program that is known to start nothing, or without words that could say what to start. */
function startsNothing(name: string, { argv }: Invocation): boolean {
  return !mayStart.has(name) && !loader.test(name) && (argv.length === 1 || findProgram(name) !== undefined);
}

/** Gives up unwrapping; the blocklist looks at what may be inside. */
function tooMany(call: Invocation, walk: Walk): Outcome {
  opaque(walk, "wrappers", "more wrappers around a command than are taken off", "unread");
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
