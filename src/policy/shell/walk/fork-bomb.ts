import type { CommandNode, CompoundList, Function as FunctionNode, While } from "unbash";

/** True where a function starts itself more than once on a way that nothing stops: `f() { f | f & }`. */
export function selfMultiplying(node: FunctionNode): boolean {
  const name = node.name.value;
  const body = node.body.type === "Redirected" ? node.body.command : node.body;
  const list =
    body.type === "BraceGroup" || body.type === "Subshell"
      ? body.body
      : body.type === "CompoundList"
        ? body
        : undefined;
  return list !== undefined && starts(list, name) >= 2;
}

/** True where at least two parts of a pipeline start the running script itself. */
export function selfStarting(commands: readonly CommandNode[]): boolean {
  const own = (node: CommandNode): boolean =>
    node.type === "Command" && /^"?(\.\/)?\$\{?0\}?"?$/.test(node.name?.text ?? "");
  return commands.length > 1 && commands.filter(own).length > 1;
}

/**
 * How many copies of `name` a body surely has running at once: calls one after the other do not count. A background start counts as two,
 * since the body itself goes on.
 */
function starts(list: CompoundList, name: string): number {
  return sum(list.commands, ({ command, background }) => {
    const first = command.type === "AndOr" ? command.commands[0] : command;
    if (first === undefined) return 0;
    const nodes = first.type === "Pipeline" ? first.commands : [first];
    if (background === true) return 2 * sum(nodes, (node) => calls(node, name));
    return nodes.length > 1 ? sum(nodes, (node) => calls(node, name)) : sum(nodes, (node) => inner(node, name, starts));
  });
}

/** How often a command calls `name`, in whatever order. */
function calls(node: CommandNode, name: string): number {
  if (node.type === "Command") return node.name?.value === name ? 1 : 0;
  return inner(node, name, (list) =>
    sum(list.commands, ({ command }) => {
      const first = command.type === "AndOr" ? command.commands[0] : command;
      const nodes = first === undefined ? [] : first.type === "Pipeline" ? first.commands : [first];
      return sum(nodes, (each) => calls(each, name));
    }),
  );
}

/** Looks into the parts of a compound command that surely run. */
function inner(node: CommandNode, name: string, look: (list: CompoundList, name: string) => number): number {
  switch (node.type) {
    case "BraceGroup":
    case "Subshell":
      return look(node.body, name);
    case "Redirected":
      return inner(node.command, name, look);
    case "While":
      return isEndless(node) ? look(node.body, name) : 0;
    default:
      return 0;
  }
}

function isEndless({ clause, kind }: While): boolean {
  const only = clause.commands.length === 1 ? clause.commands[0]?.command : undefined;
  const name = only?.type === "Command" ? only.name?.text : undefined;
  return kind === "while" ? name === ":" || name === "true" : name === "false";
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
