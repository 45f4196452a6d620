import { InvalidArgumentError, type Command } from "commander";
import { type Proposal, ProposalSchema } from "../../gen/sallyport/v1/approvals_pb.ts";
import { RuleSourceSchema, Verdict } from "../../gen/sallyport/v1/common_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { visible } from "../text/visible.ts";
import { enumWord, ruleWords } from "../text/words.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, type CommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";

/** Adds `sallyport rules proposals`: broader rules for what was always allowed several times. */
export function registerProposals(group: Command): void {
  const command = group
    .command("proposals")
    .summary("show broader rules for what was always allowed several times")
    .description(
      "Shows one broader rule for at least three nearly equal ones that answers made, each with what else it would have allowed in the recorded past. " +
        "--accept writes one and removes those that it stands for.",
    )
    .option("--accept <number>", "the proposal to write, from 1", numberOf);
  clientAction(addCommonOptions(command), proposals);
}

async function proposals(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { accept } = command.opts<CommonOptions & { accept?: number }>();
  const found = (await client.approvals.listProposals({}, callOptions)).proposals;
  if (accept !== undefined) return acceptOne(context, found[accept - 1]);
  if (json) for (const proposal of found) await stdout.message(ProposalSchema, proposal);
  else if (found.length === 0) await stdout.lines(["No broader rule is proposed."]);
  else for (const [at, proposal] of found.entries()) await stdout.lines(proposalLines(proposal, at + 1));
  return exitCode.ok;
}

function proposalLines(proposal: Proposal, number: number): string[] {
  const { draft, replaces, wouldHaveAllowed, wouldHaveAllowedTotal } = proposal;
  const left = wouldHaveAllowedTotal - wouldHaveAllowed.length;
  return [
    `${number}. allow ${visible(draft?.capability ?? "")} ${visible(JSON.stringify(draft?.match ?? ""))}`,
    `   in place of ${replaces.length}:`,
    ...replaces.map((rule) => `     ${visible(ruleWords(rule))}`),
    wouldHaveAllowedTotal === 0
      ? "   It would have allowed nothing else in the recorded past."
      : `   It would also have allowed ${wouldHaveAllowedTotal}:`,
    ...wouldHaveAllowed.map((text) => `     ${visible(text)}`),
    ...(left > 0 ? [`     and ${left} more`] : []),
  ];
}

async function acceptOne(
  { client, stdout, callOptions }: ActionContext,
  proposal: Proposal | undefined,
): Promise<number> {
  const [first] = proposal?.replaces ?? [];
  if (proposal?.draft === undefined || first === undefined)
    throw new SallyportError("not_found", "there is no such proposal", { field: "accept" });
  const { capability, match } = proposal.draft;
  const { source } = first;
  const because = `stands for ${proposal.replaces.length} answers`;
  const rule = { source, capability, match: [match], effect: Verdict.ALLOW, because };
  // The broader one first: should a removal fail, more rules stand than needed, and none is missing.
  const added = await client.policy.addRule({ rule }, callOptions);
  for (const { id } of proposal.replaces) await client.policy.removeRule({ source, ruleId: id }, callOptions);
  const name = enumWord(RuleSourceSchema, source);
  await stdout.lines([
    ...(added.rule === undefined ? [] : [`wrote ${visible(ruleWords(added.rule))}`]),
    `removed ${proposal.replaces.length} ${name} rules`,
  ]);
  return exitCode.ok;
}

function numberOf(text: string): number {
  const number = Number(text);
  if (!/^\d{1,3}$/.test(text) || number < 1) throw new InvalidArgumentError("It must be the number of a proposal.");
  return number;
}
