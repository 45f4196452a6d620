import type { AndOr, Command, ParsedScript, PipelineNode } from "unbash";
import type { ShellState } from "../state/shell-state.ts";

/** True for a substitution that prints a number or nothing, whatever it reads: `$(ls | wc -l)`, `$(date +%s)`, `$(grep -c x f || true)`. */
export function printsNumber(script: ParsedScript | undefined, { functions }: ShellState): boolean {
  const [statement, ...others] = script?.commands ?? [];
  if (statement === undefined || others.length > 0 || (script?.errors?.length ?? 0) > 0) return false;
  const { command } = statement;
  const parts: AndOr["commands"] = command.type === "AndOr" ? command.commands : [command];
  return parts.every((part) => {
    const last = lastOf(part);
    if (last?.name === undefined || functions.get(last.name.text) !== undefined) return false;
    return isNumeric(
      last.name.text,
      last.args.map(({ text }) => text),
    );
  });
}

function lastOf(node: PipelineNode): Command | undefined {
  const last = node.type === "Pipeline" ? node.commands.at(-1) : node;
  return last?.type === "Command" ? last : undefined;
}

const plain = /^[\w./+:=%,~-]+$/;

function isNumeric(name: string, args: readonly string[]): boolean {
  const operands = args.filter((arg) => !arg.startsWith("-"));
  switch (name) {
    case "true":
    case "false":
    case ":":
    case "nproc":
      return true;
    case "echo":
      return args.every((arg) => /^\d+$/.test(arg));
    // With the name of a file it prints that, too.
    case "wc":
      return args.length === 1 && /^-[lwcmL]$/.test(args[0] ?? "");
    case "grep":
    case "egrep":
    case "fgrep":
      return (
        args.some((arg) => /^-[a-zA-Z]*c[a-zA-Z]*$|^--count$/.test(arg)) &&
        !args.some((arg) => /^-[a-zA-Z]*[rRHf]|^--(rec|deref|with|file|include)/.test(arg)) &&
        operands.length <= 2 &&
        operands.slice(1).every((arg) => plain.test(arg))
      );
    case "date":
      return args.every((arg) => arg === "-u" || /^\+(%[sYmdFHMSNjuwyCGVUW]|[\d-])+$/.test(arg.replace(/["']/g, "")));
    case "seq":
      return args.every((arg) => /^-?\d+$|^"?\$\{?\w+\}?"?$/.test(arg));
    case "id":
      return args.length === 1 && /^-[ug]$/.test(args[0] ?? "");
    case "stat":
      return args.length === 3 && /^-[cf]$/.test(args[0] ?? "") && /^['"]?%[szYX]['"]?$/.test(args[1] ?? "");
    case "git":
      return args[0] === "rev-list" && args.includes("--count");
    case "jq":
      return (
        operands.some((arg) => /^'?[.\w[\]| ]*\blength'?$/.test(arg)) &&
        !args.some((arg) => /^-[a-z]*[fn]|^--/.test(arg))
      );
    case "curl":
      // One address: of a second one it would print the body.
      return (
        operands.length === 3 &&
        args.every((arg) => !arg.startsWith("-") || /^-[sSfLk4]*[ow]?$/.test(arg)) &&
        args.some((arg) => /^['"]?%\{(http|response)_code\}['"]?$/.test(arg)) &&
        args.some((arg, at) => /^-[a-zA-Z]*o$/.test(arg) && args[at + 1] === "/dev/null")
      );
    default:
      return false;
  }
}
