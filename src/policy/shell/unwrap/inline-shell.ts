import { commandText } from "../compose/command-text.ts";
import { fedTo, isStdin } from "../builtins/texts.ts";
import { headOf, textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";
import { opaque, type Walk } from "../walk/walk.ts";
import { runScriptText, runScriptWord } from "./script-word.ts";

/** Programs that run scripts which are given in their words or their input, read as bash reads them; for those that read otherwise see `dialect`. */
export const shells: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "rbash",
  "dash",
  "ash",
  "hush",
  "zsh",
  "ksh",
  "ksh93",
  "mksh",
  "lksh",
  "oksh",
  "yash",
  "posh",
  "fish",
  "csh",
  "tcsh",
  "rc",
  "elvish",
]);

interface ShellWords {
  readonly hasScript: boolean;
  readonly readsInput: boolean;
  /** True where start-up files are read. */
  readonly startsUp: boolean;
  /** True where any word may be an assignment (`-k`, `-o keyword`). */
  readonly takesKeywords: boolean;
  readonly operands: readonly Word[];
  readonly unknown: boolean;
}

/** Runs a shell: its script, its input or a file. */
export function runShell(name: string, call: Invocation, walk: Walk): Outcome {
  const read = readShellWords(call.argv.slice(1));
  const inner: Invocation = { ...call, wrappers: [...call.wrappers, call.argv], external: true };
  const text = commandText(call.argv);
  if (read.startsUp) opaque(walk, text, "it runs start-up files", "dynamic");
  if (read.takesKeywords) opaque(walk, text, "any word of its script may be an assignment", "dynamic");
  if (read.unknown) opaque(walk, text, "an option of the shell is not known before it runs", "dynamic");
  const [script, ...args] = read.operands;
  if (read.hasScript) {
    if (script === undefined) return plainShell(call, walk);
    reportDialect(name, scriptText(script), walk);
    return runScriptWord([script], inner, walk, args.length === 0 ? [call.argv[0] ?? script] : args);
  }
  const file = script === undefined ? undefined : textOf(script);
  if (script === undefined || read.readsInput || isStdin(file))
    return runInput(name, inner, isStdin(file) ? args : read.operands, call, walk);
  if (script.kind === "dynamic" && script.contents !== undefined)
    return runScriptText(script.contents, false, inner, walk, read.operands);
  emitCommand(call, walk);
  opaque(walk, text, "the script file is not read", "dynamic");
  return unchanged(call.state);
}

/** The script comes from standard input. */
function runInput(name: string, inner: Invocation, args: readonly Word[], call: Invocation, walk: Walk): Outcome {
  const fed = fedTo(call.state);
  const known = call.state.stdin.kind === "literal";
  const zero = call.argv[0];
  if (fed !== undefined) {
    reportDialect(name, fed, walk);
    const state = { ...inner.state, stdin: { kind: "pipe" as const }, fed: undefined };
    return runScriptText(fed, known, { ...inner, state }, walk, zero === undefined ? args : [zero, ...args]);
  }
  if (call.state.stdin.kind === "none") return plainShell(call, walk);
  emitCommand(call, walk);
  opaque(walk, commandText(call.argv), "the text that the shell reads is not known", "dynamic");
  return unchanged(call.state);
}

function plainShell(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  return unchanged(call.state);
}

const valued = /^(--rcfile|--init-file|--emulate|-C|--init-command|-d|--debug-level)$/;

function readShellWords(words: readonly Word[]): ShellWords {
  let hasScript = false;
  let readsInput = false;
  let startsUp = false;
  let takesKeywords = false;
  let at = 0;
  for (; at < words.length; at += 1) {
    const text = headOf(words[at] ?? { kind: "literal", value: "" });
    if (text === "--" || text === "-") {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (text.startsWith("--")) {
      startsUp ||= /^--(login|rcfile|init-file|interactive)/.test(text);
      if (text.startsWith("--command")) hasScript = true;
      if (valued.test(text)) at += 1;
      continue;
    }
    hasScript ||= text.startsWith("-") && text.includes("c");
    readsInput ||= text.startsWith("-") && text.includes("s");
    startsUp ||= text.startsWith("-") && /[il]/.test(text.replace(/[oO].*$/s, ""));
    takesKeywords ||= text.startsWith("-") && text.includes("k");
    // Every o and O in a cluster takes one of the next words.
    at += text.replace(/[^oO]/g, "").length;
  }
  takesKeywords ||= words.slice(0, at).some((word) => textOf(word) === "keyword");
  const dynamicBefore = words.slice(0, at).some((word) => word.kind !== "literal");
  return {
    hasScript,
    readsInput: readsInput && !hasScript,
    startsUp,
    takesKeywords,
    operands: words.slice(at),
    unknown: dynamicBefore,
  };
}

/** What bash reads in another way than the small POSIX shells: the decision must hold for both. */
const notPosix =
  /\$['"[]|\{[^}\s]*(,|\.\.)[^}\s]*\}|&>|>&(?!\s*[\d-])|\|&|<<<|[<>]\(|\[\[|\(\(|;;?&|(^|[\s;&|(])(function|select|coproc|time|source|let|declare|typeset|pushd|popd)\s|\+=|\$\{[^}]*[/^,:@!]/;

function reportDialect(name: string, text: string, walk: Walk): void {
  if (name === "bash" || name === "rbash") return;
  const posix = /^(sh|dash|ash|posh|hush)$/.test(name);
  if (!posix) opaque(walk, text, `${name} reads some texts in another way than bash`, "dynamic");
  else if (notPosix.test(text.replace(/\$\{\w+:[-=?+]/g, "")))
    opaque(walk, text, `${name} may read this in another way than bash`, "syntax");
}
