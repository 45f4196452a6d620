import type { Effect, OpaqueCause, PathEffect, RunEffect } from "../../../model/effect.ts";
import { changesWhatRuns } from "../programs/environment.ts";
import {
  programEffects,
  type Link,
  type PathMention,
  type ProgramEffects,
  type ProgramWorld,
} from "../programs/program-effects.ts";
import { findProgram } from "../programs/program-table.ts";
import { shown, textOf } from "../programs/words.ts";
import type { SimpleCommand } from "../simple-command.ts";
import { knownNumbers } from "./known-numbers.ts";
import { redirectEffects } from "./redirect-effects.ts";
import { supposedPaths } from "./supposed-paths.ts";
import { outsidePaths, unknownProgramEffects } from "./unknown-program.ts";

/** What one command does besides running, and the links that it makes. */
export interface CommandEffects {
  readonly effects: readonly Effect[];
  /** See {@link supposedPaths}. */
  readonly supposed: Iterable<PathEffect>;
  readonly links: readonly Link[];
}

/** What a wrapper does besides running the command inside: its own files. */
export function wrapperEffects(wrapper: SimpleCommand, world: ProgramWorld): Effect[] {
  const own = programEffects(wrapper, world);
  return own.known ? pathEffects(own) : [];
}

/** Puts together what a command's redirections, assignments and words do. */
export function commandEffects(command: SimpleCommand, run: RunEffect, world: ProgramWorld): CommandEffects {
  const effects: Effect[] = [...environmentEffects(command), ...redirectEffects(command, world)];
  const read = { ...command, argv: knownNumbers(command.argv) };
  const own = isPlainUnknown(read) ? unknownProgram : programEffects(read, world);
  effects.push(...pathEffects(own), ...own.opaque.map((part) => opaque(run.text, part.why, part.cause)));
  if (command.argv.length > 0) effects.push(...wordEffects(read, own, run, world));
  const supposed = command.argv.length > 0 ? supposedPaths(read, own, run.readOnly === true, world) : [];
  return { effects, supposed, links: own.links };
}

const unknownProgram: ProgramEffects = {
  reads: [],
  writes: [],
  deletes: [],
  reaches: [],
  opaque: [],
  supposed: [],
  links: [],
  known: false,
};

/** A program in no table, without assignments: nothing to read. Keeps long texts cheap. */
function isPlainUnknown({ argv, assignments }: SimpleCommand): boolean {
  const name = textOf(argv[0]);
  return (
    assignments.length === 0 && name !== undefined && findProgram(name.slice(name.lastIndexOf("/") + 1)) === undefined
  );
}

function wordEffects(command: SimpleCommand, own: ProgramEffects, run: RunEffect, world: ProgramWorld): Effect[] {
  const [first] = command.argv;
  const effects: Effect[] = [];
  const name = textOf(first);
  if (name === undefined) effects.push(opaque(run.text, "the program is not known before it runs", "dynamic"));
  // oxlint-disable-next-line no-control-regex -- anything outside ASCII counts.
  else if (/[^\x00-\x7f]/.test(name))
    effects.push(opaque(run.text, "the program's name holds letters that look like others", "syntax"));
  if (command.cwds.includes(undefined))
    effects.push(opaque(run.text, "the folder in which it runs is not known", "dynamic"));
  if (!own.known) effects.push(...unknownProgramEffects(command, run.text, world));
  else if (own.opaque.length > 0 && findProgram(run.program)?.takesPaths === true)
    effects.push(...outsidePaths(command, own, world));
  return effects;
}

/** Assignments that change what later commands mean. */
function environmentEffects({ assignments }: SimpleCommand): Effect[] {
  return assignments
    .filter(({ name }) => changesWhatRuns(name) || /[^\w]/.test(name))
    .map(({ name, value }) =>
      opaque(`${name}=${shown(value)}`, `the variable ${name} changes what runs`, "environment"),
    );
}

function pathEffects({ reads, writes, deletes, reaches }: ProgramEffects): Effect[] {
  const paths = (kind: PathEffect["kind"], mentions: readonly PathMention[]): PathEffect[] =>
    mentions.map(({ path, exact }) => ({ kind, path, exact }));
  return [
    ...paths("read", reads),
    ...paths("write", writes),
    ...paths("delete", deletes),
    ...reaches.map(({ host, port }): Effect => ({ kind: "reach", host, port, capability: "sandbox_network" })),
  ];
}

/** A part that cannot be seen; `text` is the command's own, so that it is found with its run. */
function opaque(text: string, why: string, cause: OpaqueCause): Effect {
  return { kind: "opaque", text, why, cause };
}
