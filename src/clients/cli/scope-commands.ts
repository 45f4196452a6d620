import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { Access } from "../../gen/sallyport/v1/common_pb.ts";
import { StandingScopeSchema } from "../../gen/sallyport/v1/sessions_pb.ts";
import { scopeCells } from "../text/scope-words.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, type CommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { printRows } from "./print-rows.ts";
import { printSession } from "./print-session.ts";
import { addLastingOptions, lasting, type LastingOptions } from "./scope-options.ts";

/** Adds to `sallyport sessions` what grants folders and takes them back. */
export function registerScopes(group: Command): void {
  const grantCommand = group
    .command("grant")
    .description("Grant a session a further folder, or change how one is granted.")
    .argument("<id>")
    .argument("<folder>")
    .addOption(new Option("--ro", "for reading only (the default)").conflicts("rw"))
    .option("--rw", "for reading and writing");
  clientAction(addCommonOptions(addLastingOptions(grantCommand)), grant);
  const revokeCommand = group
    .command("revoke")
    .description("Take a folder back from a session; one that is granted always is taken back for good.")
    .argument("<id>")
    .argument("<folder>");
  clientAction(addCommonOptions(revokeCommand), revoke);
  const standing = group
    .command("standing")
    .description("List the folders that are granted always, of all agents and workspaces.");
  clientAction(addCommonOptions(standing), listStanding);
  const revokeAlways = group
    .command("revoke-standing")
    .description("Take back a folder that is granted always, where no session of it is open.")
    .argument("<agent>")
    .argument("<workspace>")
    .argument("<folder>");
  clientAction(addCommonOptions(revokeAlways), revokeStanding);
}

async function grant(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const [sessionId = "", folder = ""] = command.args;
  const options = command.opts<CommonOptions & LastingOptions & { readonly rw?: boolean }>();
  const access = options.rw === true ? Access.READ_WRITE : Access.READ_ONLY;
  const addScopes = [{ root: resolve(folder), access, ...lasting(options) }];
  await printSession(context, (await client.sessions.update({ sessionId, addScopes }, callOptions)).session);
  return exitCode.ok;
}

async function revoke(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const [sessionId = "", folder = ""] = command.args;
  const change = { sessionId, removeScopes: [resolve(folder)] };
  await printSession(context, (await client.sessions.update(change, callOptions)).session);
  return exitCode.ok;
}

async function listStanding(context: ActionContext): Promise<number> {
  const { standing } = await context.client.sessions.listStanding({}, context.callOptions);
  const heading = ["agent", "workspace", "folder", "access", "lasts", "expires"];
  await printRows(context, StandingScopeSchema, standing, heading, ({ agent, workspace, scope }) => [
    agent,
    workspace,
    ...(scope === undefined ? [] : scopeCells(scope)),
  ]);
  return exitCode.ok;
}

async function revokeStanding({ client, command, callOptions }: ActionContext): Promise<number> {
  const [agent = "", workspace = "", folder = ""] = command.args;
  await client.sessions.revokeStanding({ agent, workspace: resolve(workspace), root: resolve(folder) }, callOptions);
  return exitCode.ok;
}
