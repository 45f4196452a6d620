import { InvalidArgumentError, Option, type Command } from "commander";
import { clientAction } from "../clients/cli/client-action.ts";
import { addCommonOptions } from "../clients/cli/common-options.ts";
import type { FileSource } from "../config/load-permissions.ts";
import { namedCommand } from "./named-command.ts";

/** What `rules diff` takes beside the file. */
export interface DiffOptions {
  /** Whose rules the file would replace. */
  readonly source: FileSource;
  /** Requests at most. */
  readonly limit: number;
  readonly agent?: string;
  readonly session?: string;
  readonly since?: string;
  readonly until?: string;
}

const fileSources: readonly FileSource[] = ["managed", "user", "workspace", "agent"];
const mostRequests = 100_000;

/** Adds `sallyport rules diff FILE`: which recorded requests a changed rules file would decide differently. The judge is loaded only when it runs. */
export function registerDiff(program: Command): void {
  const command = namedCommand(program, "rules")
    .command("diff <file>")
    .summary("say what a changed rules file would decide differently")
    .description(
      "Judges recorded requests under the rules that hold and under those of the file in their place, and prints those that would be decided differently. " +
        "Requests of closed sessions are judged with the folders that they had then and the rules files of this machine. Exits 1 where there is a difference.",
    )
    .addOption(
      new Option("--source <source>", "whose rules the file would replace").choices(fileSources).default("user"),
    )
    .option("--limit <count>", "requests at most, the newest first", requestLimit, 1000)
    .option("--agent <name>", "only this agent's")
    .option("--session <id>", "only this session's")
    .option("--since <time>", "from this time on, RFC 3339")
    .option("--until <time>", "before this time, RFC 3339");
  clientAction(addCommonOptions(command), async (context) => {
    const { diffRules } = await import("./diff-rules.ts");
    return diffRules(context, command.opts<DiffOptions>());
  });
}

function requestLimit(text: string): number {
  const count = Number(text);
  if (!/^\d{1,6}$/.test(text) || count < 1 || count > mostRequests)
    throw new InvalidArgumentError(`It must be 1 to ${mostRequests}.`);
  return count;
}
