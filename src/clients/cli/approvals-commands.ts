import { type Command, Argument, InvalidArgumentError, Option } from "commander";
import {
  AnswerKindSchema,
  type Question,
  QuestionSchema,
  RulesFileSchema,
} from "../../gen/sallyport/v1/approvals_pb.ts";
import { questionLines } from "../approver/question-lines.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { visible } from "../text/visible.ts";
import { enumWord, enumWords } from "../text/words.ts";
import { answerQuestion, tryEdit } from "./answer-question.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { printRows } from "./print-rows.ts";

/** `sallyport approvals`: open questions, for scripts. */
export function registerApprovals(program: Command): void {
  const group = program
    .command("approvals")
    .summary("list and answer open questions, for scripts")
    .description("List and answer open questions.");
  clientAction(addCommonOptions(group.command("list").description("List the open questions, the oldest first.")), list);
  const showCommand = group
    .command("show")
    .description("Show one open question whole, with what each answer would do.")
    .argument("<id>", "the question");
  clientAction(addCommonOptions(showCommand), showOne);
  const answerCommand = group
    .command("answer")
    .description("Answer one question. Exits 1 where somebody else was first.")
    .argument("<id>", "the question")
    .addArgument(new Argument("<answer>", "the answer").choices(enumWords(AnswerKindSchema)))
    .option("--message <text>", "what the caller is told on a denial")
    .option("--edit <text>", "with edit-and-allow: what runs in its place; `show` says in which form")
    .option("--plan <plan>", "with --edit: what `try-edit` gave for it; without, a terminal shows it and asks")
    .option("--for <time>", "with allow-for: how long, such as 90s, 15m, 2h; 15m by default", seconds)
    .addOption(
      new Option("--file <file>", "with the always answers: the file of the rule").choices(enumWords(RulesFileSchema)),
    )
    .option("--also <id>", "a further question of the same group with the same answer; may be repeated", collect);
  clientAction(addCommonOptions(answerCommand), answerQuestion);
  const tryCommand = group
    .command("try-edit")
    .description("Show what an edited command would do, and the plan that answers for it. Answers nothing.")
    .argument("<id>", "the question")
    .argument("<text>", "what would run in its place; `show` says in which form");
  clientAction(addCommonOptions(tryCommand), tryEdit);
}

async function list(context: ActionContext): Promise<number> {
  const { questions } = await context.client.approvals.list({}, context.callOptions);
  await printRows(
    context,
    QuestionSchema,
    questions,
    ["question", "agent", "channel", "waiting", "deadline", "group", "what"],
    (question) => [
      question.id,
      question.agent,
      question.channel,
      String(question.waiting),
      question.deadline,
      question.group,
      question.title,
    ],
  );
  return exitCode.ok;
}

async function showOne({ client, command, json, stdout, paint, callOptions }: ActionContext): Promise<number> {
  const { questions } = await client.approvals.list({}, callOptions);
  const question = questions.find(({ id }) => id === command.args[0]);
  if (question === undefined) throw new SallyportError("not_found", "there is no such open question", { field: "id" });
  if (json) await stdout.message(QuestionSchema, question);
  else {
    // There is no such size where the output is no terminal.
    const columns = process.stdout.columns || 80;
    const drawing = { paint, columns, rows: Infinity, now: new Date(), behind: 0 };
    await stdout.lines([...questionLines(question, drawing), ...answerLines(question)]);
  }
  return exitCode.ok;
}

function answerLines({ answers, editable, places }: Question): string[] {
  const places_ = places.map(({ file, path }) => `  ${enumWord(RulesFileSchema, file)}: ${visible(path)}`);
  return [
    "",
    `Answers: ${answers.map((kind) => enumWord(AnswerKindSchema, kind)).join(", ")}`,
    ...(places_.length === 0 ? [] : ["Files for the always answers, the first is the usual one:", ...places_]),
    ...(editable === "" ? [] : ["What --edit changes:", ...editable.split("\n").map((line) => `  ${visible(line)}`)]),
  ];
}

const unitSeconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600 };

function seconds(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([smh]?)$/.exec(text) ?? [];
  const found = Number(count) * (unitSeconds[unit] ?? 0);
  if (found < 1) throw new InvalidArgumentError("It must be a time such as 90s, 15m or 2h.");
  return found;
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
