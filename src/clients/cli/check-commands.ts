import { resolve } from "node:path";
import type { Command } from "commander";
import { Verdict, VerdictSchema, type Finding } from "../../gen/sallyport/v1/common_pb.ts";
import { CheckResponseSchema, ExplainResponseSchema, type CheckResponse } from "../../gen/sallyport/v1/policy_pb.ts";
import type { Palette } from "../text/palette.ts";
import { fields } from "../text/table.ts";
import { visible, visibleLines } from "../text/visible.ts";
import { effectWords, enumWord } from "../text/words.ts";
import { addSubjectOptions, subjectOf, type SubjectOptions } from "./check-subject.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface CheckOptions extends SessionOptions, SubjectOptions {
  readonly cwd?: string;
}

/** `sallyport check` and `sallyport explain`: what would be decided, without doing it. */
export function registerCheck(program: Command): void {
  const check = program
    .command("check")
    .summary("say what would be decided")
    .description("Says what would be decided, without acting or asking. Exits 0 for allow, 1 for ask, 126 for deny.");
  clientAction(addSubject(check), checkSubject);
  const explain = program
    .command("explain")
    .summary("explain what would be decided")
    .description("Explains what would be decided, for a person.");
  clientAction(addSubject(explain), explainSubject);
}

function addSubject(command: Command): Command {
  command
    .usage("[options] [--] 'shell text' | program arguments...")
    .argument("[words...]", "one word of shell text, or a program and its arguments")
    .option("-C, --cwd <folder>", "working directory of the command");
  return addSessionOptions(addCommonOptions(addSubjectOptions(command).passThroughOptions()));
}

async function checkSubject(context: ActionContext): Promise<number> {
  const { client, json, stdout, paint, callOptions } = context;
  const response = await client.policy.check(await requestOf(context), callOptions);
  if (json) await stdout.message(CheckResponseSchema, response);
  else await stdout.lines(checkLines(response, paint));
  switch (response.settled) {
    case Verdict.ALLOW:
      return exitCode.ok;
    case Verdict.ASK:
      return exitCode.failed;
    case Verdict.DENY:
      return exitCode.refused;
    default:
      return exitCode.server;
  }
}

async function explainSubject(context: ActionContext): Promise<number> {
  const { client, json, stdout, callOptions } = context;
  const response = await client.policy.explain(await requestOf(context), callOptions);
  if (json) await stdout.message(ExplainResponseSchema, response);
  else await stdout.lines(visibleLines(response.text.replace(/\n$/, "")));
  return exitCode.ok;
}

async function requestOf(context: ActionContext) {
  const { cwd, ...options } = context.command.opts<CheckOptions>();
  const subject = subjectOf(options, context.command.args);
  return { sessionId: await sessionId(context), subject, cwd: cwd === undefined ? "" : resolve(cwd) };
}

function checkLines({ verdict, settled, findings, denial }: CheckResponse, paint: Palette): string[] {
  const rules = verdict === settled ? "" : ` (the rules say ${enumWord(VerdictSchema, verdict)})`;
  return [
    `${verdictWord(settled, paint)}${rules}`,
    ...findings.flatMap((finding) => findingLines(finding, paint)),
    ...(denial === undefined
      ? []
      : fields([
          ["missing", visible(denial.missing)],
          ["next", visible(denial.next)],
        ])),
  ];
}

function findingLines({ verdict, effect, because }: Finding, paint: Palette): string[] {
  return [
    `  ${verdictWord(verdict, paint).padEnd(5)}  ${visible(effectWords(effect))}`,
    `         ${paint.dim(visible(because))}`,
  ];
}

function verdictWord(verdict: Verdict, paint: Palette): string {
  const word = enumWord(VerdictSchema, verdict);
  if (verdict === Verdict.ALLOW) return paint.green(word);
  return verdict === Verdict.ASK ? paint.yellow(word) : paint.red(word);
}
