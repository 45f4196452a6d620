import { Argument, Option, type Command } from "commander";
import {
  RuleSchema,
  type RuleSource,
  RuleSourceSchema,
  VerdictSchema,
  type Rule,
} from "../../gen/sallyport/v1/common_pb.ts";
import { visible } from "../text/visible.ts";
import { enumValue, enumWord, enumWords } from "../text/words.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { printRows } from "./print-rows.ts";
import { registerProposals } from "./rules-proposals.ts";
import { sessionId } from "./session-id.ts";

interface RuleOptions extends SessionOptions {
  readonly source?: string;
  readonly exclude?: readonly string[];
  readonly method?: readonly string[];
  readonly because?: string;
}

/** `sallyport rules`: the rules of the permission model. */
export function registerRules(program: Command): void {
  const group = program
    .command("rules")
    .summary("list, add and remove rules")
    .description("List, add and remove rules.");
  const list = group
    .command("list", { isDefault: true })
    .description("List the rules that hold for the session.")
    .addOption(new Option("--source <source>", "only rules of this source").choices(enumWords(RuleSourceSchema)));
  clientAction(addSessionOptions(addCommonOptions(list)), listRules);
  const add = group
    .command("add")
    .description("Add a rule, for example: sallyport rules add allow shell 'npm install*'")
    .addArgument(new Argument("<verdict>", "what the rule says").choices(enumWords(VerdictSchema)))
    .argument("<capability>", "fs_read, fs_write, shell, web_fetch, ...")
    .argument("<globs...>", "one hit is enough")
    .option("--exclude <glob>", "takes a hit away again; may be repeated", collect)
    .option("--method <method>", "only requests by this HTTP method, such as GET; may be repeated", collect)
    .option("--because <text>", "why, for whoever meets the rule");
  clientAction(addSessionOptions(addCommonOptions(add.addOption(ownSource()))), addRule);
  registerProposals(group);
  const remove = group.command("remove").description("Remove a rule.").argument("<id>");
  clientAction(addSessionOptions(addCommonOptions(remove.addOption(ownSource()))), removeRule);
}

function ownSource(): Option {
  return new Option("--source <source>", "where the rule is kept")
    .choices(["user", "workspace", "session"])
    .default("user");
}

async function listRules(context: ActionContext): Promise<number> {
  const source = sourceOf(context);
  const request = { sessionId: await sessionId(context), source };
  const { rules, faults } = await context.client.policy.listRules(request, context.callOptions);
  await printRules(context, rules);
  // A broken edit holds nothing up, the rules from before go on: so it must be loud wherever rules are looked at.
  for (const { file, line, column, message } of faults)
    process.stderr.write(`sallyport: broken rules: ${visible(`${file}:${line}:${column}: ${message}`)}\n`);
  return exitCode.ok;
}

async function addRule(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const [verdict = "", capability = "", ...match] = command.args;
  const { exclude = [], method = [], because = "" } = command.opts<RuleOptions>();
  const rule = {
    source: sourceOf(context),
    capability,
    match,
    exclude: [...exclude],
    methods: [...method],
    effect: enumValue(VerdictSchema, verdict),
    because,
  };
  const added = await client.policy.addRule({ sessionId: await sessionId(context), rule }, callOptions);
  if (added.rule !== undefined) await printRules(context, [added.rule]);
  return exitCode.ok;
}

async function removeRule(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const request = { sessionId: await sessionId(context), source: sourceOf(context), ruleId: command.args[0] ?? "" };
  await client.policy.removeRule(request, callOptions);
  return exitCode.ok;
}

function sourceOf({ command }: ActionContext): RuleSource {
  return enumValue(RuleSourceSchema, command.opts<RuleOptions>().source);
}

function printRules(context: ActionContext, rules: readonly Rule[]): Promise<void> {
  return printRows(
    context,
    RuleSchema,
    rules,
    ["source", "verdict", "capability", "match", "id", "because"],
    (rule) => [
      enumWord(RuleSourceSchema, rule.source),
      enumWord(VerdictSchema, rule.effect),
      rule.capability,
      globs(rule),
      rule.id,
      rule.expiresAt === "" ? rule.because : `${rule.because} until ${rule.expiresAt}`.trim(),
    ],
  );
}

function globs({ match, exclude, methods }: Rule): string {
  const by = methods.length === 0 ? "" : `${methods.join(" | ")} `;
  const except = exclude.length === 0 ? "" : ` except ${exclude.join(" | ")}`;
  return by + match.join(" | ") + except;
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
