import { exhausted } from "../../../model/exhausted.ts";
import type { HereDoc, Redirect as RedirectNode, Redirection } from "unbash";
import { expandSingle, expandWord, singleOf, type Single } from "../expand/expand-word.ts";
import type { Expansion } from "../expand/expansion.ts";
import { flattenParts } from "../expand/flatten.ts";
import type { Redirect, Stdin, Word } from "../simple-command.ts";
import type { ShellState } from "../state/shell-state.ts";
import { opaque } from "./walk.ts";
import { scriptText } from "./script-text.ts";

/** What the redirections of one command do. */
export interface Redirected {
  readonly redirects: readonly Redirect[];
  /** The same with unknown targets taken for what they may well be. */
  readonly guesses: readonly Redirect[] | undefined;
  /** The command's own state: its input may be redirected. */
  readonly state: ShellState;
  /** Where standard output goes: nowhere that is followed, surely; or perhaps still where it went. */
  readonly stdout: "kept" | "away" | "unsure";
}

/** Expands redirections in order. */
export function readRedirects(nodes: readonly Redirection[], env: Expansion): Redirected {
  if (nodes.length === 0) return { redirects: [], guesses: undefined, state: env.state, stdout: "kept" };
  const redirects: Redirect[] = [];
  const guesses: Redirect[] = [];
  let guessing = false;
  let { state } = env;
  let stdout: Redirected["stdout"] = "kept";
  for (const node of nodes) {
    const fd = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : undefined;
    if (node.descriptor?.type === "FileDescriptorVariable") env.assign(node.descriptor.name, undefined);
    if (node.type !== "Redirect") {
      const input =
        node.type === "HereDoc"
          ? hereDocument(node, env)
          : hereString(node.target === undefined ? undefined : expandSingle(node.target, env));
      if (fd === undefined || fd === 0) state = { ...state, ...fedBy(input) };
      continue;
    }
    for (const { redirect, guess } of fileRedirects(node, fd, env)) {
      redirects.push(redirect);
      guesses.push(guess ?? redirect);
      guessing ||= guess !== undefined;
      if (redirect.operator === "read" && (fd === undefined || fd === 0))
        state = { ...state, stdin: fromFile(redirect.target), fed: contentsOf(redirect.target) };
      else if (
        (redirect.operator === "duplicate" || redirect.operator === "read-write") &&
        (fd === 0 || node.operator === "<&")
      ) {
        state = { ...state, stdin: { kind: "pipe" }, fed: state.fed };
      } else if (redirect.operator === "duplicate" && (fd === undefined || fd === 1)) stdout = "unsure";
      else if (redirect.operator !== "read" && redirect.operator !== "close" && (fd === undefined || fd === 1))
        stdout = "away";
    }
  }
  return { redirects, guesses: guessing ? guesses : undefined, state, stdout };
}

interface Guessable {
  readonly redirect: Redirect;
  readonly guess: Redirect | undefined;
}

function fileRedirects(node: RedirectNode, fd: number | undefined, env: Expansion): Guessable[] {
  if (node.target === undefined) return [];
  const { words, guesses } = expandWord(node.target, env);
  const target = words[0];
  if (target === undefined || words.length > 1) {
    // bash refuses to redirect to no file or to several.
    opaque(env.walk, node.target.text, "a redirection has no single target", "dynamic");
    if (target === undefined) return [];
  }
  const all = words.map((word, index): Guessable => {
    const guess = guesses?.[index];
    return {
      redirect: redirectOf(node, fd, word),
      guess: guess === undefined ? undefined : redirectOf(node, fd, guess),
    };
  });
  // `&>f` and `>&f` also open for standard error; one mention is enough.
  return all;
}

function redirectOf(node: RedirectNode, fd: number | undefined, target: Word): Redirect {
  switch (node.operator) {
    case ">":
    case ">|":
    case "&>":
      return { operator: "write", fd, target };
    case ">>":
    case "&>>":
      return { operator: "append", fd, target };
    case "<":
      return { operator: "read", fd, target };
    case "<>":
      return { operator: "read-write", fd, target };
    case "<&":
    case ">&":
      if (target.kind === "literal" && target.value === "-") return { operator: "close", fd, target };
      if (node.operator === "<&" || (target.kind === "literal" && /^\d+-?$/.test(target.value)))
        return { operator: "duplicate", fd, target };
      return { operator: "write", fd, target };
    default:
      return exhausted(node.operator);
  }
}

function hereDocument(node: HereDoc, env: Expansion): Single {
  const { body, delimiter } = node;
  const quoted = delimiter?.quoted === true;
  if (!quoted && body.parts !== undefined) return singleOf(flattenParts(body.parts, env, true), body.text);
  const lines = node.operator === "<<-" ? body.text.replace(/^\t+/gm, "") : body.text;
  const value = quoted
    ? lines
    : lines.replace(/\\([$`\\]|\n)/g, (_, character: string) => (character === "\n" ? "" : character));
  return { word: { kind: "literal", value }, guess: undefined };
}

/** bash puts a newline behind a here-string. */
function hereString(single: Single | undefined): Single {
  if (single === undefined) return { word: { kind: "literal", value: "" }, guess: undefined };
  return { word: withNewline(single.word), guess: single.guess === undefined ? undefined : withNewline(single.guess) };
}

function withNewline(word: Word): Word {
  if (word.kind === "literal") return { kind: "literal", value: `${word.value}\n` };
  return word;
}

function fedBy({ word, guess }: Single): Pick<ShellState, "stdin" | "fed"> {
  if (word.kind === "literal") return { stdin: { kind: "literal", text: word.value }, fed: undefined };
  return { stdin: { kind: "pipe" }, fed: scriptText(guess ?? word) };
}

function fromFile(target: Word): Stdin {
  if (target.kind === "literal" && target.value === "/dev/null") return { kind: "none" };
  return { kind: "file", path: target };
}

function contentsOf(target: Word): string | undefined {
  return target.kind === "dynamic" ? target.contents : undefined;
}
