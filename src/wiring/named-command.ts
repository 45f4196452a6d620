import type { Command } from "commander";

/** A command that was added before, to add to it. @throws Error where there is none: always a fault in Sallyport. */
export function namedCommand(program: Command, name: string): Command {
  const found = program.commands.find((command) => command.name() === name);
  if (found === undefined) throw new Error(`there is no command ${name}`);
  return found;
}
