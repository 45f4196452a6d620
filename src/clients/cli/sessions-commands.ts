import { resolve } from "node:path";
import { Argument, Option, type Command } from "commander";
import { ModeSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { enumValue, enumWords } from "../text/words.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, type CommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { printSession, printSessions } from "./print-session.ts";
import { registerScopes } from "./scope-commands.ts";
import { addLastingOptions, collectFolder, type Folder, lasting, type LastingOptions } from "./scope-options.ts";

interface OpenOptions extends CommonOptions, LastingOptions {
  readonly workspace?: string;
  readonly key: string;
  readonly mode?: string;
  readonly unattended?: boolean;
  readonly image?: string;
  readonly channel?: string;
  readonly scope?: readonly Folder[];
}

/** `sallyport sessions`: who is here. */
export function registerSessions(program: Command): void {
  const group = program
    .command("sessions")
    .summary("list, open, change and close sessions; grant folders")
    .description("List, open, change and close sessions; grant folders and take them back.");
  clientAction(addCommonOptions(group.command("list").description("List sessions, the last used first.")), list);
  const openCommand = group
    .command("open")
    .description("Open a session, or find the one with the same folder and key, and print it.")
    .option("--workspace <folder>", "its folder; the default is the server's own")
    .option("--key <label>", "label by which it is found again", "cli")
    .addOption(new Option("--mode <mode>", "how asks are settled").choices(enumWords(ModeSchema)))
    .option("--unattended", "nobody can be asked: an ask is a denial")
    .option("--image <image>", "image of the sandbox")
    .option("--channel <name>", "channel that it belongs to")
    .option("--scope <folder[:ro|:rw]>", "a further folder, read-only unless :rw; may be repeated", collectFolder);
  clientAction(addCommonOptions(addLastingOptions(openCommand)), open);
  const showCommand = group.command("show").description("Print a session with its folders.").argument("<id>");
  clientAction(addCommonOptions(showCommand), show);
  const closeCommand = group
    .command("close")
    .description("End a session, its commands and its sandbox.")
    .argument("<id>");
  clientAction(addCommonOptions(closeCommand), close);
  const modeCommand = group
    .command("mode")
    .description("Change how asks are settled.")
    .argument("<id>")
    .addArgument(new Argument("<mode>").choices(enumWords(ModeSchema)));
  clientAction(addCommonOptions(modeCommand), changeMode);
  registerScopes(group);
}

async function list(context: ActionContext): Promise<number> {
  await printSessions(context, (await context.client.sessions.list({}, context.callOptions)).sessions);
  return exitCode.ok;
}

async function open(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const options = command.opts<OpenOptions>();
  const { session } = await client.sessions.open(
    {
      workspace: options.workspace === undefined ? "" : resolve(options.workspace),
      key: options.key,
      mode: enumValue(ModeSchema, options.mode),
      unattended: options.unattended ?? false,
      image: options.image ?? "",
      channel: options.channel ?? "",
      scopes: (options.scope ?? []).map((folder) => ({ ...folder, ...lasting(options) })),
    },
    callOptions,
  );
  await printSessions(context, session === undefined ? [] : [session]);
  return exitCode.ok;
}

async function show(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const { session } = await client.sessions.get({ sessionId: command.args[0] ?? "" }, callOptions);
  await printSession(context, session);
  return exitCode.ok;
}

async function close({ client, command, callOptions }: ActionContext): Promise<number> {
  await client.sessions.close({ sessionId: command.args[0] ?? "" }, callOptions);
  return exitCode.ok;
}

async function changeMode(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const [sessionId = "", mode] = command.args;
  const { session } = await client.sessions.update({ sessionId, mode: enumValue(ModeSchema, mode) }, callOptions);
  await printSessions(context, session === undefined ? [] : [session]);
  return exitCode.ok;
}
