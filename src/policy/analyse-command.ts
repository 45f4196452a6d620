import { parseAbsolutePath } from "../model/absolute-path.ts";
import type { Effect, RunEffect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Command, ExecIntent } from "../model/intent.ts";
import { invalid } from "../model/problem.ts";
import { guardReach } from "./analyse-reach.ts";
import { analyseArgv } from "./shell/analyse-argv.ts";
import { analyseShell } from "./shell/analyse-shell.ts";
import { limits } from "./shell/limits.ts";
import { changesWhatRuns, traceFile } from "./shell/programs/environment.ts";
import type { ShellAnalysis, ShellWorld } from "./shell/shell-analysis.ts";
import { hidesCode } from "./shell/expand/hides-code.ts";
import { analyseWindows } from "./windows/analyse-windows.ts";
import { blockedRuns } from "./windows/blocked-runs.ts";
import { createWork, mostUnits } from "./work.ts";

/** A name that a shell takes for a variable; anything else, such as `BASH_FUNC_ls%%`, is a function in disguise. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;

/** What a command would do, and whether more was to be looked at than is looked at. */
export interface CommandAnalysis extends ShellAnalysis {
  readonly isSpent: boolean;
}

/**
 * What a command would do, with the variables that are set for it.
 * @throws Problem `invalid_argument` naming `env`.
 */
export function analyseCommand(intent: Pick<ExecIntent, "command" | "env">, world: ShellWorld): CommandAnalysis {
  const work = createWork(unitsFor(intent.command));
  const { effects, blocked, supposed } = analyseText(intent.command, { ...world, work });
  const found = [...environmentEffects(intent.env), ...effects.map((effect) => guardReach(effect, world.facts))];
  // A text that starts nothing, such as a comment, still starts a shell.
  return {
    effects: found.length > 0 || blocked.length > 0 ? found : [emptyRun],
    blocked,
    isSpent: work.isSpent,
    ...(supposed !== undefined && { supposed }),
  };
}

/** A script for Windows' shells is read line by line, and nearly every part of it makes an effect: whoever asks for a long one has as much more to be looked at. */
function unitsFor(command: Command): number {
  const isScript = command.kind === "shell" && command.shell !== "bash";
  return mostUnits + (isScript ? Math.min(command.text.length, limits.decidedUnits) * 1.25 : 0);
}

const emptyRun: Effect = { kind: "run", program: ":", argv: [":"], text: ":" };

/** Values stay out of the effect: they may be secrets. */
function environmentEffects(env: ExecIntent["env"]): Effect[] {
  return Object.entries(env).flatMap(([name, value]): Effect[] => {
    if (!variableName.test(name)) throw invalid("env", `${JSON.stringify(name)} is not a variable name`);
    const trace = traceFile(name, { kind: "literal", value });
    const path = trace?.kind === "literal" ? parseAbsolutePath(trace.value) : undefined;
    if (path !== undefined) return [{ kind: "write", path, exact: true }];
    if (hidesCode(value))
      return [{ kind: "opaque", text: name, why: `arithmetic would run what ${name} holds`, cause: "environment" }];
    if (!changesWhatRuns(name)) return [];
    return [{ kind: "opaque", text: name, why: `the variable ${name} changes what runs`, cause: "environment" }];
  });
}

function analyseText(command: Command, world: ShellWorld): ShellAnalysis {
  if (command.kind === "argv") return withWindows(analyseArgv(command.argv, world), world);
  switch (command.shell) {
    case "bash":
      return withWindows(analyseShell(command.text, world), world);
    case "powershell":
    case "cmd":
      return analyseWindows(command.text, command.shell, { home: windowsHome(world), ...world });
    default:
      return exhausted(command.shell);
  }
}

/** The shells of Windows that are started on the way: what their own blocklist says of them counts, too. */
function withWindows(analysis: ShellAnalysis, world: ShellWorld): ShellAnalysis {
  const windows = { home: windowsHome(world), ...world };
  const { fed = new Map<RunEffect, string>() } = analysis;
  // Equal commands are one effect, and may be fed with different texts.
  const found = [
    ...analysis.effects.flatMap((effect) =>
      effect.kind === "run" && !fed.has(effect) ? blockedRuns(effect, undefined, windows) : [],
    ),
    ...Array.from(fed).flatMap(([effect, text]) => blockedRuns(effect, text, windows)),
  ];
  return found.length === 0 ? analysis : { ...analysis, blocked: [...analysis.blocked, ...found] };
}

/** No Windows runs here: its texts are judged for a user of the same name at home where Windows puts him. */
function windowsHome({ facts }: ShellWorld): string {
  return `C:\\Users\\${facts.user}`;
}
