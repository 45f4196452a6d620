import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { MakeDirectoryResponseSchema, RemoveResponseSchema } from "../../gen/sallyport/v1/files_pb.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface RemoveOptions extends SessionOptions {
  readonly recursive?: boolean;
}

interface MakeOptions extends SessionOptions {
  readonly parents?: boolean;
  readonly permissions?: number;
}

/** `sallyport files rm` and `sallyport files mkdir`. */
export function registerFilesRemovals(group: Command): void {
  const remove = group
    .command("rm")
    .summary("move files and folders to the trash")
    .description("Moves files, links and folders to the trash, and prints what `files trash restore` takes for each.")
    .argument("<paths...>")
    .option("-r, --recursive", "folders with all they hold");
  clientAction(addSessionOptions(addCommonOptions(remove)), removeEntries);
  const make = group
    .command("mkdir")
    .summary("make folders")
    .description("Makes folders.")
    .argument("<paths...>")
    .option("-p, --parents", "make missing folders on the way; a folder that is there is no failure")
    .option("--permissions <octal>", "permission bits, such as 750", permissionBits);
  clientAction(addSessionOptions(addCommonOptions(make)), makeFolders);
}

async function removeEntries(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { recursive = false } = command.opts<RemoveOptions>();
  const session = await sessionId(context);
  for (const argument of command.args) {
    const path = resolve(argument);
    const removed = await client.files.remove({ sessionId: session, path, recursive }, callOptions);
    if (json) await stdout.message(RemoveResponseSchema, removed);
    else await stdout.lines([`${removed.trashId}  ${visible(path)}`]);
  }
  return exitCode.ok;
}

async function makeFolders(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { parents = false, permissions = 0 } = command.opts<MakeOptions>();
  const session = await sessionId(context);
  for (const argument of command.args) {
    const request = { sessionId: session, path: resolve(argument), parents, mode: permissions };
    const made = await client.files.makeDirectory(request, callOptions);
    if (json) await stdout.message(MakeDirectoryResponseSchema, made);
  }
  return exitCode.ok;
}

function permissionBits(value: string): number {
  if (!/^0?[0-7]{3}$/.test(value)) throw new InvalidArgumentError("It must be three octal digits, such as 755.");
  return Number.parseInt(value, 8);
}
