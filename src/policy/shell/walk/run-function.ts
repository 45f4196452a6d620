import type { Function as FunctionNode } from "unbash";
import { limits } from "../limits.ts";
import { afterwards, eitherOutcome, silent, unchanged, type Outcome } from "./outcome.ts";
import type { Defined, ShellState } from "../state/shell-state.ts";
import { selfMultiplying } from "./fork-bomb.ts";
import type { Invocation } from "./invocation.ts";
import { onlyChecking, opaque, type Walk } from "./walk.ts";

/** Learns a function. Its body runs when it is called; the blocklist looks at it now, for it may be called in ways that are not seen. */
export function defineFunction(node: FunctionNode, state: ShellState, walk: Walk): Outcome {
  const name = node.name.text;
  if (selfMultiplying(node)) walk.emit({ kind: "bomb", text: `the function ${name}` });
  const defined: ShellState = {
    ...state,
    functions: state.functions.set(name, { bodies: [node], sure: true }),
    tainted: true,
  };
  runBody(node, { ...defined, positional: undefined }, onlyChecking({ ...walk, calls: [...walk.calls, name] }));
  return unchanged(defined, silent);
}

/** Runs a function that the text defined, in every way that it may be defined. */
export function callFunction({ bodies }: Defined, call: Invocation, walk: Walk): Outcome {
  const [first, ...others] = bodies.map((body) => callBody(body, call, walk));
  return first === undefined ? unchanged(call.state) : others.reduce(eitherOutcome, first);
}

function callBody(node: FunctionNode, { argv, state }: Invocation, walk: Walk): Outcome {
  const name = node.name.text;
  if (walk.calls.includes(name) || walk.calls.length > limits.inline) {
    opaque(walk, name, "a function calls itself, or calls go too deep", "unread");
    return unchanged(state);
  }
  const outcome = runBody(node, { ...state, positional: argv }, { ...walk, calls: [...walk.calls, name] });
  const restore = (after: ShellState): ShellState => ({
    ...after,
    positional: state.positional,
    stdin: state.stdin,
    fed: state.fed,
  });
  const after = restore(afterwards(outcome));
  return { ok: after, fail: after, output: outcome.output };
}

function runBody({ body }: FunctionNode, state: ShellState, walk: Walk): Outcome {
  return body.type === "CompoundList"
    ? walk.steps.statements(body.commands, state, walk)
    : walk.steps.node(body, state, walk);
}
