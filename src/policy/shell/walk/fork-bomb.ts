import type { CommandNode, CompoundList, Function as FunctionNode, Statement, While } from "unbash";

/** True where a function starts itself more than once on a way that nothing stops: `f() { f | f & }`. */
export function selfMultiplying(node: FunctionNode): boolean {
  const name = node.name.value;
  const body = node.body.type === "Redirected" ? node.body.command : node.body;
  const list = body.type === "BraceGroup" || body.type === "Subshell" ? body.body : body.type === "CompoundList" ? body : undefined;
  return list !== undefined && starts(list, name) >= 2;
}

/** True where at least two parts of a pipeline start the running script itself. */
export function selfStarting(commands: readonly CommandNode[]): boolean {
  const own = (node: CommandNode): boolean => node.type === "Command" && /^"?(\.\/)?\$\{?0\}?"?$/.test(node.name?.text ?? "");
  return commands.length > 1 && commands.filter(own).length > 1;
}

/**
 * How many copies of `name` a body surely has running at once: calls one after the other do not count. A background start counts as two,
 * since the body itself goes on.
 */
function starts(list: CompoundList, name: string): number {
  return list.commands.reduce((sum, statement) => sum + statementStarts(statement, name), 0);
}

function statementStarts({ command, background }: Statement, name: string): number {
  const first = command.type === "AndOr" ? command.commands[0] : command;
  if (first === undefined) return 0;
  const nodes = first.type === "Pipeline" ? first.commands : [first];
  const count = nodes.reduce((sum, node) => sum + nodeStarts(node, name), 0);
  if (background === true) return count * 2;
  return nodes.length > 1 || nodes[0]?.type !== "Command" ? count : 0;
}

function isEndless({ clause, kind }: While): boolean {
  const only = clause.commands.length === 1 ? clause.commands[0]?.command : undefined;
  const name = only?.type === "Command" ? only.name?.text : undefined;
  return kind === "while" ? name === ":" || name === "true" : name === "false";
}

function nodeStarts(node: CommandNode, name: string): number {
  switch (node.type) {
    case "Command":
      return node.name?.value === name ? 1 : 0;
    case "BraceGroup":
    case "Subshell":
      return starts(node.body, name);
    case "Redirected":
      return nodeStarts(node.command, name);
    case "While":
      return isEndless(node) ? starts(node.body, name) : 0;
    default:
      return 0;
  }
}
