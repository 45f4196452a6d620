import { Argument, type Command } from "commander";
import { AnswerKindSchema, AnswerResponseSchema, QuestionSchema } from "../../gen/sallyport/v1/approvals_pb.ts";
import { visible } from "../text/visible.ts";
import { enumValue, enumWords, ruleWords } from "../text/words.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, type CommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { printRows } from "./print-rows.ts";

/** `sallyport approvals`: open questions, for scripts. */
export function registerApprovals(program: Command): void {
  const group = program
    .command("approvals")
    .summary("list and answer open questions, for scripts")
    .description("List and answer open questions.");
  clientAction(addCommonOptions(group.command("list").description("List the open questions, the oldest first.")), list);
  const answerCommand = group
    .command("answer")
    .description("Answer one question. Exits 1 where somebody else was first.")
    .argument("<id>", "the question")
    .addArgument(new Argument("<answer>", "the answer").choices(enumWords(AnswerKindSchema)))
    .option("--message <text>", "what the caller is told on a denial");
  clientAction(addCommonOptions(answerCommand), answer);
}

async function list(context: ActionContext): Promise<number> {
  const { questions } = await context.client.approvals.list({}, context.callOptions);
  await printRows(
    context,
    QuestionSchema,
    questions,
    ["question", "agent", "channel", "deadline", "what"],
    (question) => [question.id, question.agent, question.channel, question.deadline, question.title],
  );
  return exitCode.ok;
}

async function answer({ client, command, json, stdout, callOptions }: ActionContext): Promise<number> {
  const [questionId = "", word = ""] = command.args;
  const { message = "" } = command.opts<CommonOptions & { message?: string }>();
  const kind = enumValue(AnswerKindSchema, word);
  const response = await client.approvals.answer({ questionId, answer: kind, message }, callOptions);
  if (json) await stdout.message(AnswerResponseSchema, response);
  else await stdout.lines(response.rules.map((rule) => `wrote ${visible(ruleWords(rule))}`));
  return exitCode.ok;
}
