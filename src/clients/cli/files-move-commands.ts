import { resolve } from "node:path";
import type { Command } from "commander";
import { CopyResponseSchema, MoveResponseSchema } from "../../gen/sallyport/v1/files_pb.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface PlaceOptions extends SessionOptions {
  readonly force?: boolean;
  readonly recursive?: boolean;
}

/** `sallyport files mv` and `sallyport files cp`: the second path is the new name itself, also where it is a folder. */
export function registerFilesMoves(group: Command): void {
  const move = group
    .command("mv")
    .summary("rename a file or folder")
    .description("Renames a file, a link or a folder. TO is the new name itself, not a folder to move into.")
    .argument("<from>")
    .argument("<to>")
    .option("-f, --force", "replace a file that is there");
  clientAction(addSessionOptions(addCommonOptions(move)), moveEntry);
  const copy = group
    .command("cp")
    .summary("copy a file or folder")
    .description("Copies a file, or with -r a folder. TO is the new name itself, not a folder to copy into.")
    .argument("<from>")
    .argument("<to>")
    .option("-r, --recursive", "copy a folder with all it holds")
    .option("-f, --force", "replace a file that is there");
  clientAction(addSessionOptions(addCommonOptions(copy)), copyEntry);
}

async function moveEntry(context: ActionContext): Promise<number> {
  const { client, json, stdout, callOptions } = context;
  const moved = await client.files.move(await placesOf(context), callOptions);
  if (json) await stdout.message(MoveResponseSchema, moved);
  return exitCode.ok;
}

async function copyEntry(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { recursive = false } = command.opts<PlaceOptions>();
  const copied = await client.files.copy({ ...(await placesOf(context)), recursive }, callOptions);
  if (json) await stdout.message(CopyResponseSchema, copied);
  return exitCode.ok;
}

async function placesOf(context: ActionContext) {
  const [from = "", to = ""] = context.command.args;
  const { force = false } = context.command.opts<PlaceOptions>();
  return { sessionId: await sessionId(context), from: resolve(from), to: resolve(to), overwrite: force };
}
