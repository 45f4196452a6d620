import { exhausted } from "../../../model/exhausted.ts";
import { fearedText, fearedTurns } from "../programs/feared-text.ts";
import { touchPath } from "../programs/touch-path.ts";
import type { WindowsState } from "../windows-state.ts";
import { cmdReader, withoutCarets, type CmdReader } from "./cmd-reader.ts";
import type { CmdList, CmdNode, CmdRedirect } from "./cmd-script.ts";
import { expandLoop, expandPercents, isUnknown, shownText, withoutMarks } from "./expand-percents.ts";
import { loopItems } from "./loop-items.ts";
import { parseCmdLine } from "./parse-cmd.ts";
import type { CmdWalk } from "./cmd-walk.ts";
import { runCommand } from "./run-command.ts";

/** Walks a cmd text: what it runs, what that does to files, and what of it the blocklist forbids. */
export function walkCmd(source: string, state: WindowsState): void {
  const walk: CmdWalk = { state, text: walkText, deep: false, starts: 0, itself: 0, labels: new Set(), endless: false };
  walkText(source, walk, undefined);
}

/** Gives what the text prints where that is known. */
function walkText(source: string, walk: CmdWalk, fed: string | undefined): string | undefined {
  const { state } = walk;
  const lines = logicalLines(withoutMarks(source));
  for (const line of lines) {
    const label = /^\s*:([\w.-]+)/.exec(line)?.[1];
    if (label !== undefined) walk.labels.add(label.toLowerCase());
  }
  let next = 0;
  const more = (): string | undefined => {
    const line = lines[next];
    next += 1;
    return line === undefined ? undefined : expandPercents(line, state);
  };
  let printed: string | undefined;
  for (let line = more(); line !== undefined; line = more()) {
    const reader = cmdReader(line, more);
    printed = joined(printed, walkRead(reader, walk, fed));
  }
  return printed;
}

/** Lines, those that end with a caret joined with the next: a caret that is neither quoted nor escaped itself, nor stands in a comment. */
function logicalLines(source: string): readonly string[] {
  const lines: string[] = [];
  let open: string[] = [];
  // What the joined lines begin with, as far as it takes to know a comment.
  let head = "";
  let inside = false;
  for (const line of source.split(/\r?\n|\r/)) {
    const end = endOf(line, inside);
    const comment = /^(?:rem\b|:)/i.test(startOf(head + line));
    const joins = end.caret && !comment;
    open.push(joins ? line.slice(0, -1) : line);
    head = joins ? startOf(head + line.slice(0, -1)) : "";
    inside = joins && end.inside;
    if (joins) continue;
    lines.push(open.join(""));
    open = [];
  }
  return open.length === 0 ? lines : [...lines, open.join("")];
}

function startOf(line: string): string {
  return line.replace(/^[\s@(]+/, "").slice(0, 8);
}

/** How a line ends that begins inside of quotes or not. */
function endOf(line: string, quoted: boolean): { readonly caret: boolean; readonly inside: boolean } {
  let inside = quoted;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '"') inside = !inside;
    else if (character === "^" && !inside) {
      if (at === line.length - 1) return { caret: true, inside };
      at += 1;
    }
  }
  return { caret: false, inside };
}

function walkRead(reader: CmdReader, walk: CmdWalk, fed: string | undefined): string | undefined {
  const list = parseCmdLine(reader);
  walk.state.work.spend(6 + reader.text.length / 10);
  if (reader.tooDeep) {
    walk.state.found.opaque(shownText(reader.text), "commands are nested too deep", "unread");
    fearedText(reader.text, walk.state);
  }
  if (reader.broken) walk.state.found.opaque(shownText(reader.text), "a bracket or a keyword has no end", "syntax");
  if (isUnknown(reader.text))
    walk.state.found.opaque(shownText(reader.text), "a variable is only known when it runs", "dynamic");
  return walkList(list, walk, fed);
}

function walkList(list: CmdList, walk: CmdWalk, fed: string | undefined): string | undefined {
  let all: string | undefined;
  let last: string | undefined;
  for (const [index, { join, node }] of list.entries()) {
    // Behind `&&` the folder is the new one: the command before has not failed.
    if (join === "&&") walk.state.earlier = [];
    const pipes = list[index + 1]?.join === "|";
    last = walkNode(node, walk, join === "|" ? last : fed);
    // The sides of a pipe are read twice: the second time without their carets.
    if ((pipes || join === "|") && node.kind === "command" && node.from(0).includes("^"))
      walkText(shownText(withoutCarets(node.from(0))), walk, undefined);
    if (!pipes) all = joined(all, last);
  }
  return all;
}

function joined(before: string | undefined, after: string | undefined): string | undefined {
  return before === undefined ? after : after === undefined ? before : `${before}\n${after}`;
}

function walkNode(node: CmdNode, walk: CmdWalk, fed: string | undefined): string | undefined {
  const { found, work } = walk.state;
  // Words are read, split as programs do, made into a text for rules and looked at for paths.
  work.spend(10 + (node.kind === "command" ? 3 * node.words.length : 0));
  switch (node.kind) {
    case "command":
      return runCommand(node, walk, fed);
    case "block": {
      const printed = walkList(node.list, walk, fed);
      redirect(node.redirects, walk.state);
      return printed;
    }
    case "if":
      found.opaque(shownText(node.text), "if decides what runs", "syntax");
      return joined(
        walkNode(node.chosen, walk, fed),
        node.otherwise === undefined ? undefined : walkNode(node.otherwise, walk, fed),
      );
    case "for":
      return walkLoop(node, walk);
    default:
      return exhausted(node);
  }
}

function walkLoop(node: CmdNode & { kind: "for" }, walk: CmdWalk): undefined {
  const { state } = walk;
  state.found.opaque(shownText(node.text), "a loop sets a variable", "dynamic");
  const { turns, command, cut, deep, endless } = loopItems(node);
  const listed = command === undefined ? undefined : walkText(command, walk, undefined);
  const all = listed === undefined ? turns : listed.split("\n").flatMap(cut);
  const inner: CmdWalk = { ...walk, deep: walk.deep || deep, endless: walk.endless || endless };
  for (const [turn, values] of all.entries()) {
    if (!state.again(node.body.length + 64)) {
      fearedTurns(node.body, all.slice(turn).flat(), turn > 0, state);
      break;
    }
    for (const body of bodies(node, values)) walkRead(cmdReader(body), inner, undefined);
  }
}

/** The body with the values put in: the first for the loop's own letter, the next for the letters behind it. */
function bodies({ body, variable }: CmdNode & { kind: "for" }, values: readonly string[]): readonly string[] {
  return values.reduce<readonly string[]>(
    (texts, value, index) =>
      texts.flatMap((text) => expandLoop(text, String.fromCharCode(variable.charCodeAt(0) + index), value)).slice(0, 8),
    [body],
  );
}

/** Redirections around a block: whoever runs in it does not matter to the file. */
function redirect(redirects: readonly CmdRedirect[], state: WindowsState): void {
  for (const { reads, target } of redirects) {
    const owner = state.found.run("cmd", ["cmd"], [], false);
    touchPath(reads ? "read" : "write", isUnknown(target) ? undefined : target, {}, owner, state);
  }
}
