import type { Redirection } from "unbash";
import type { ShellState } from "../state/shell-state.ts";
import type { Output } from "./outcome.ts";
import { onlyChecking, type Walk } from "./walk.ts";

/** Asks the blocklist about the commands behind `> >(…)` once more, now that what they will read is known. */
export function feedPipes(
  nodes: readonly Redirection[],
  output: Output | undefined,
  state: ShellState,
  walk: Walk,
): void {
  if (nodes.length === 0 || output === undefined || output.text === "") return;
  for (const node of nodes) {
    if (node.type !== "Redirect" || !node.operator.includes(">")) continue;
    for (const part of node.target?.parts ?? [])
      if (part.type === "ProcessSubstitution" && part.operator === ">")
        walk.steps.substitution(part, { ...state, stdin: { kind: "pipe" }, fed: output.text }, onlyChecking(walk));
  }
}
