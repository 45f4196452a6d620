import { spawnSync } from "node:child_process";

/** Programs of the list that runs without a question. They stand as functions that do nothing. */
const allowed = ["ls", "cat", "pwd", "whoami", "uname", "git", "npm", "cd", "true", "false", ":"];

/** Begins every line of the trace, and no line of a text. */
const mark = "\u0001";

/**
 * What a real bash starts for a text, told by its own trace: names of commands, each as bash decoded it. It can start nothing: no program is found, the builtins are switched off, and a
 * restricted shell opens no file for writing (bash manual, "The Restricted Shell"). Undefined: there is no bash here, or it did not come to an end.
 */
export function startedByBash(text: string): readonly string[] | undefined {
  const functions = allowed.filter((name) => name !== ":").map((name) => `${name}() { :; }`);
  const start = [
    "PATH=/nowhere",
    // A subshell in the background outlives the shell, and its loop may have no end.
    "ulimit -t 4",
    ...functions,
    // What traces must stay, and so must what reads the text.
    `for b in $(enable -a); do case $b in enable|-n|set|eval|:) ;; *) enable -n "$b";; esac; done`,
    "set -r",
    "enable -n enable",
    `PS4=${mark}`,
    "BASH_XTRACEFD=3",
    'set -x; eval "$TEXT"',
  ];
  const { output, error, signal } = spawnSync("bash", ["--noprofile", "--norc", "-c", start.join("\n")], {
    env: { TEXT: text, LC_ALL: "C.UTF-8" },
    cwd: "/",
    input: "",
    timeout: 2000,
    killSignal: "SIGKILL",
    stdio: ["pipe", "ignore", "ignore", "pipe"],
    encoding: "utf8",
    maxBuffer: 1 << 22,
  });
  if (error !== undefined || signal !== null) return undefined;
  // bash repeats the first character of PS4 for every level of nesting; lines without it go on with a word.
  const lines = (output[3] ?? "").split("\n").filter((line) => line.startsWith(mark));
  return lines.map((line) => line.slice(line.lastIndexOf(mark) + 1).split(" ", 1)[0] ?? "");
}

/** Names that a trace may hold where nothing but the list runs: what leaves a script, keywords, assignments, also to elements, and arithmetic start nothing. The name of a command would stand in quotes with a `[` in it. */
export function isHarmlessTrace(name: string): boolean {
  return (
    allowed.includes(name) ||
    /^(eval|break|continue|exit|return)$/.test(name) ||
    /^(\[\[|\(\(|case|for|select|[A-Za-z_]\w*(\+?=|\[))/.test(name)
  );
}
