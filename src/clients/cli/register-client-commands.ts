import type { Command } from "commander";
import { registerAgents } from "./agents-commands.ts";
import { registerApprovals } from "./approvals-commands.ts";
import { registerApprove } from "./approve-command.ts";
import { registerAttach } from "./attach-command.ts";
import { registerAudit } from "./audit-commands.ts";
import { registerCheck } from "./check-commands.ts";
import { registerExec } from "./exec-command.ts";
import { registerFetch } from "./fetch-command.ts";
import { registerFiles } from "./files-commands.ts";
import { registerKill } from "./kill-command.ts";
import { registerList } from "./list-commands.ts";
import { registerPs } from "./ps-command.ts";
import { registerRead } from "./read-command.ts";
import { registerRules } from "./rules-commands.ts";
import { registerSessions } from "./sessions-commands.ts";
import { registerWrite } from "./write-command.ts";

/**
 * Adds every command that talks to a running server. Each sets `process.exitCode` and returns; bad usage ends the process with status 2. To be called before
 * the program's other commands are added, which then share that.
 */
export function registerClientCommands(program: Command): void {
  program
    .enablePositionalOptions()
    // commander's own status for bad usage is 1, which would read as the failure of a request.
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  registerExec(program);
  registerPs(program);
  registerAttach(program);
  registerKill(program);
  registerRead(program);
  registerWrite(program);
  registerList(program);
  registerFiles(program);
  registerFetch(program);
  registerCheck(program);
  registerApprove(program);
  registerApprovals(program);
  registerAudit(program);
  registerRules(program);
  registerSessions(program);
  registerAgents(program);
}
