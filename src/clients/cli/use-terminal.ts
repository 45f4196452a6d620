import type { ExecCall } from "../client/exec-call.ts";
import type { TerminalSize } from "../client/exec-spec.ts";

/** The size of a terminal; 80 by 24 where the stream is none. */
export function terminalSize(stream: { readonly columns?: number; readonly rows?: number }): TerminalSize {
  return { columns: inRange(stream.columns, 80), rows: inRange(stream.rows, 24) };
}

/** Hands our terminal over to a command that runs on one: every key goes through as it is, and size changes follow. Returns the function that takes it back. */
export function useTerminal(call: ExecCall): () => void {
  const { stdin, stdout } = process;
  const onResize = (): void => call.resize(terminalSize(stdout));
  const takeBack = (): void => {
    stdin.setRawMode(false);
  };
  stdout.on("resize", onResize);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    // Also where the process leaves in a hurry: a shell with a raw terminal is unusable.
    process.on("exit", takeBack);
  }
  return () => {
    stdout.off("resize", onResize);
    process.off("exit", takeBack);
    if (stdin.isTTY) takeBack();
  };
}

function inRange(value: number | undefined, otherwise: number): number {
  return value === undefined || value < 1 ? otherwise : Math.min(value, 4096);
}
