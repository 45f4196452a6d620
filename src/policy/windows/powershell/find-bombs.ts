import { commandName } from "./powershell-names.ts";
import { headerOf, keywordOf } from "./statements.ts";
import type { PowerShellCommand, PowerShellPipeline, PowerShellScript } from "./powershell-script.ts";
import type { Walk } from "./session.ts";

/** What one look at a command costs. */
const unitsOfLook = 4;

/** Blocks a function that starts itself more than once at a time, and a loop without end that starts programs and waits for none. */
export function findBombs(command: PowerShellCommand, walk: Walk): void {
  const body = command.words.find((word) => word.block)?.nested.at(-1);
  const script = body === undefined ? undefined : walk.page.nested.get(body)?.script;
  const keyword = keywordOf(command.words[0]);
  if (keyword === undefined || script === undefined) return;
  const own = /^[^\s(]*/.exec(headerOf(command))?.[0].toLowerCase() ?? "";
  const isFunction = /^(function|filter|workflow)$/.test(keyword);
  if (!isFunction && !isEndless(headerOf(command))) return;
  const inside = all(script, walk);
  if (isFunction ? !inside.some((pipeline) => multiplies(pipeline, own)) : !startsAndRuns(inside)) return;
  const { found } = walk.state;
  found.block(
    "windows-fork-bomb",
    found.run(own === "" ? keyword : own, [keyword, ...(own === "" ? [] : [own])], [], false),
  );
}

function multiplies({ commands, background }: PowerShellPipeline, own: string): boolean {
  const calls = commands.filter((command) => nameOf(command) === own).length;
  return calls > 1 || (calls > 0 && background);
}

/** True for a condition that is always true, or so long that nobody looks through it. */
function isEndless(header: string): boolean {
  return header.length > longestHeader || endless.test(header);
}

const longestHeader = 512;

const endless = /\(\s*(\$true|[1-9]\d*|[^;]*;\s*(\$true)?\s*;[^;]*|1\s*-eq\s*1|-not\s+\$false|!\$false)\s*\)$/i;

function startsAndRuns(pipelines: readonly PowerShellPipeline[]): boolean {
  const commands = pipelines.flatMap((pipeline) => pipeline.commands);
  const starts =
    pipelines.some((pipeline) => pipeline.background) ||
    commands.some(
      (command) =>
        /^(start-process|start-job|start-threadjob)$/.test(nameOf(command)) &&
        !command.words.some((word) => /^[-\u2013-\u2015]wa/i.test(word.text)),
    );
  const waits = commands.some((command) =>
    /^(start-sleep|wait-.*|read-host|break|return|exit|timeout|ping|pause|receive-job)$/.test(nameOf(command)),
  );
  return starts && !waits;
}

function nameOf({ words }: PowerShellCommand): string {
  return commandName((words[0]?.text ?? "").replace(/['"`]/g, ""));
}

/** All pipelines of a script, those inside its words, too. Counted: loops in loops look at what is in them once for each. */
function all(script: PowerShellScript, { page, state }: Walk): readonly PowerShellPipeline[] {
  const inside: PowerShellPipeline[] = [];
  const gather = (pipelines: PowerShellScript): void => {
    for (const pipeline of pipelines) {
      inside.push(pipeline);
      for (const { words } of pipeline.commands) {
        state.work.spend(unitsOfLook + words.length / 4);
        for (const word of words) for (const from of word.nested) gather(page.nested.get(from)?.script ?? []);
      }
    }
  };
  gather(script);
  return inside;
}
