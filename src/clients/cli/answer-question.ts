import {
  AnswerKindSchema,
  AnswerKind,
  AnswerResponseSchema,
  RulesFileSchema,
  TryEditResponseSchema,
} from "../../gen/sallyport/v1/approvals_pb.ts";
import { editLines } from "../approver/edit-lines.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { visible } from "../text/visible.ts";
import { enumValue, ruleWords } from "../text/words.ts";
import type { ActionContext } from "./client-action.ts";
import type { CommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";

/** What `sallyport approvals answer` takes. */
interface AnswerOptions extends CommonOptions {
  readonly message?: string;
  readonly edit?: string;
  readonly plan?: string;
  readonly for?: number;
  readonly file?: string;
  readonly also?: readonly string[];
}

/** `sallyport approvals answer`. An edited command is sent only with the plan of what was shown. */
export async function answerQuestion(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, stderr, callOptions } = context;
  const [questionId = "", word = ""] = command.args;
  const options = command.opts<AnswerOptions>();
  const { message = "", edit = "", for: forSeconds = 0, file, also = [] } = options;
  const kind = enumValue(AnswerKindSchema, word);
  const plan = kind === AnswerKind.EDIT_AND_ALLOW ? (options.plan ?? (await confirmed(context, questionId, edit))) : "";
  if (plan === undefined) return exitCode.failed;
  const response = await client.approvals.answer(
    {
      questionId,
      answer: kind,
      message,
      edited: edit,
      plan,
      forSeconds,
      file: enumValue(RulesFileSchema, file),
      also: [...also],
    },
    callOptions,
  );
  if (json) await stdout.message(AnswerResponseSchema, response);
  else {
    await stdout.lines(response.rules.map((rule) => `wrote ${visible(ruleWords(rule))}`));
    await stderr.lines(
      response.notCounted.map(
        (fault) => `sallyport: not counted for ${visible(fault.questionId)}: ${visible(fault.reason)}`,
      ),
    );
  }
  return response.notCounted.length === 0 ? exitCode.ok : exitCode.failed;
}

/** `sallyport approvals try-edit`. */
export async function tryEdit({ client, command, json, stdout, paint, callOptions }: ActionContext): Promise<number> {
  const [questionId = "", edited = ""] = command.args;
  const look = await client.approvals.tryEdit({ questionId, edited }, callOptions);
  if (json) await stdout.message(TryEditResponseSchema, look);
  // There is no such size where the output is no terminal.
  else
    await stdout.lines([
      ...editLines(look, { paint, columns: process.stdout.columns || 80, rows: Infinity }),
      "",
      `Plan: ${look.plan}`,
    ]);
  return exitCode.ok;
}

/** The plan of an edited command that a person saw and allowed; undefined where he did not. */
async function confirmed(context: ActionContext, questionId: string, edited: string): Promise<string | undefined> {
  const { client, json, stdout, stderr, paint, callOptions } = context;
  const { stdin, stdout: output } = process;
  if (json || !stdin.isTTY || !output.isTTY)
    throw new SallyportError(
      "invalid_argument",
      "--plan: must be set where nobody can be shown what it would do; `sallyport approvals try-edit` gives it",
      { field: "plan" },
    );
  const look = await client.approvals.tryEdit({ questionId, edited }, callOptions);
  await stdout.lines(editLines(look, { paint, columns: output.columns || 80, rows: output.rows || 24 }));
  // Only here: the prompt library would slow the start of every other answer.
  const { onTerminal } = await import("../approver/on-terminal.ts");
  const { confirmEdit } = await import("../approver/confirm-edit.ts");
  const came = await onTerminal(stdin, output, (prompts) => confirmEdit(prompts, false));
  if (came.kind === "value" && came.value === "allow") return look.plan;
  await stderr.lines(["sallyport: not answered"]);
  return undefined;
}
