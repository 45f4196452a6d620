import type { SimpleCommand } from "../simple-command.ts";
import type { Cwds } from "../state/shell-state.ts";
import type { Invocation } from "./invocation.ts";
import type { Walk } from "./walk.ts";

/** Reports a command that would run. */
export function emitCommand(call: Invocation, walk: Walk): void {
  walk.emit({ kind: "command", command: simpleCommand(call, call.state.cwds, walk), checked: call.unchecked !== true });
  const { suspects } = call.state;
  if (suspects !== undefined && call.unchecked !== true)
    walk.emit({ kind: "check", command: simpleCommand(call, suspects, walk) });
}

/** Commands run in the real folder, whatever way the shell took to it. */
function simpleCommand(
  { argv, assignments, redirects, state, span, wrappers }: Invocation,
  folders: Cwds,
  walk: Walk,
): SimpleCommand {
  const cwds = folders.map((cwd) => (cwd === undefined ? undefined : walk.real(cwd)));
  return {
    argv,
    wrappers: walk.wrappers.length === 0 ? wrappers : [...walk.wrappers, ...wrappers],
    assignments,
    redirects,
    cwds,
    stdin: state.stdin,
    span,
    tainted: state.tainted,
  };
}
