import { Option, type Command } from "commander";
import {
  AgentSchema,
  CreateTokenResponseSchema,
  RevokeTokensResponseSchema,
  UsageResponseSchema,
} from "../../gen/sallyport/v1/agents_pb.ts";
import { TierSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { fields } from "../text/table.ts";
import { visible } from "../text/visible.ts";
import { enumValue, enumWord, enumWords } from "../text/words.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, type CommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { printRows } from "./print-rows.ts";

/** `sallyport agents`: agents, their tokens and what they used. */
export function registerAgents(program: Command): void {
  const group = program
    .command("agents")
    .summary("manage agents and their tokens")
    .description("Manage agents and their tokens.");
  clientAction(addCommonOptions(group.command("list").description("List the agents.")), list);
  const token = group
    .command("create-token")
    .description("Make a token for an agent and print it. It is shown this once.")
    .argument("<agent>")
    .addOption(new Option("--tier <tier>", "ceiling of the agent").choices(enumWords(TierSchema)));
  clientAction(addCommonOptions(token), createToken);
  const revoke = group.command("revoke").description("Make an agent's tokens invalid.").argument("<agent>");
  clientAction(addCommonOptions(revoke), revokeTokens);
  const usage = group.command("usage").description("Print what an agent has used.").argument("<agent>");
  clientAction(addCommonOptions(usage), printUsage);
}

async function list(context: ActionContext): Promise<number> {
  const { agents } = await context.client.agents.list({}, context.callOptions);
  await printRows(context, AgentSchema, agents, ["agent", "tier", "tokens", "since"], (agent) => [
    agent.name,
    enumWord(TierSchema, agent.tier),
    String(agent.tokens),
    agent.createdAt,
  ]);
  return exitCode.ok;
}

async function createToken({ client, command, json, stdout, callOptions }: ActionContext): Promise<number> {
  const { tier } = command.opts<CommonOptions & { tier?: string }>();
  const made = await client.agents.createToken(
    { agent: command.args[0] ?? "", tier: enumValue(TierSchema, tier) },
    callOptions,
  );
  if (json) await stdout.message(CreateTokenResponseSchema, made);
  else await stdout.lines([visible(made.token)]);
  return exitCode.ok;
}

async function revokeTokens({ client, command, json, stdout, callOptions }: ActionContext): Promise<number> {
  const response = await client.agents.revokeTokens({ agent: command.args[0] ?? "" }, callOptions);
  if (json) await stdout.message(RevokeTokensResponseSchema, response);
  else await stdout.lines([`${response.revoked} tokens no longer count`]);
  return exitCode.ok;
}

async function printUsage({ client, command, json, stdout, callOptions }: ActionContext): Promise<number> {
  const used = await client.agents.usage({ agent: command.args[0] ?? "" }, callOptions);
  if (json) await stdout.message(UsageResponseSchema, used);
  else
    await stdout.lines(
      fields(
        [
          ["requests", String(used.requests)],
          ["refused", String(used.refused)],
          ["commands", String(used.commands)],
          ["bytes", String(used.bytes)],
          ...used.budgets.map(({ name, unit, used: now, limit }): [string, string] => [
            visible(name),
            `${now} of ${limit} ${visible(unit)}`,
          ]),
        ],
        "",
      ),
    );
  return exitCode.ok;
}
