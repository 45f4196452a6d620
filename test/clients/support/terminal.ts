import { stripVTControlCharacters } from "node:util";
import { spawn, type IPty } from "@lydell/node-pty";
import { eventually } from "./eventually.ts";
import { cliEnv } from "./run-cli.ts";

/** A program on a real terminal. */
export interface Terminal {
  readonly pty: IPty;
  /** Everything that was written, as it was. */
  readonly raw: () => string;
  /** Everything that was written since the last `press`, escape sequences left out. */
  readonly screen: () => string;
  /** Types. */
  press(keys: string): void;
  /** Waits until the text stands in what was written since the last `press`. */
  shows(text: string): Promise<void>;
  readonly exited: Promise<number>;
}

export const keys = { up: "\u001b[A", down: "\u001b[B", enter: "\r", escape: "\u001b", interrupt: "\u0003" } as const;

/** Starts `node ARGS` on a terminal of 100 by 40. */
export function startOnTerminal(args: readonly string[], env: NodeJS.ProcessEnv = {}): Terminal {
  return start(process.execPath, [...args], env);
}

/** As `startOnTerminal`, from a shell that afterwards prints `[code N]` and the state in which the terminal was left, as stty(1) does. */
export function startFromShell(args: readonly string[]): Terminal {
  const script = 'trap : INT; "$@"; echo "[code $?]"; stty -a; echo "[end]"';
  return start("/bin/sh", ["-c", script, "sh", process.execPath, ...args], {});
}

function start(file: string, args: string[], env: NodeJS.ProcessEnv): Terminal {
  const pty = spawn(file, args, { cols: 100, rows: 40, env: cliEnv(env), name: "xterm-256color" });
  let written = "";
  let since = 0;
  pty.onData((data) => (written += data));
  const terminal: Terminal = {
    pty,
    raw: () => written,
    screen: () => stripVTControlCharacters(written.slice(since)),
    press(text) {
      since = written.length;
      pty.write(text);
    },
    async shows(text) {
      await eventually(terminal.screen).toContain(text);
    },
    exited: new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode))),
  };
  return terminal;
}
