import { resolve } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { Verdict, VerdictSchema, type Finding } from "../../gen/sallyport/v1/common_pb.ts";
import {
  CheckResponseSchema,
  ExplainResponseSchema,
  type CheckResponse,
  type CheckSubjectSchema,
} from "../../gen/sallyport/v1/policy_pb.ts";
import { commandInit, type ExecCommand } from "../client/command-init.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import type { Palette } from "../text/palette.ts";
import { fields } from "../text/table.ts";
import { visible, visibleLines } from "../text/visible.ts";
import { effectWords, enumWord } from "../text/words.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface CheckOptions extends SessionOptions {
  readonly shell?: string;
  readonly cwd?: string;
  readonly read?: string;
  readonly write?: string;
  readonly fetch?: string;
  readonly connect?: string;
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
    .option("-c, --shell <text>", "shell text")
    .option("-C, --cwd <folder>", "working directory of the command")
    .option("--read <path>", "reading a path")
    .option("--write <path>", "writing a path")
    .option("--fetch <url>", "fetching a URL")
    .option("--connect <host:port>", "a connection that a command would make")
    .passThroughOptions();
  return addSessionOptions(addCommonOptions(command));
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

type Subject = MessageInitShape<typeof CheckSubjectSchema>;

/** One word is shell text, as people paste it: `sallyport explain 'git push && make'`. Several are a program with its arguments. */
function commandOf(words: readonly string[]): ExecCommand {
  const [only = ""] = words;
  return words.length === 1 ? { shell: only } : { argv: words };
}

function subjectOf(options: CheckOptions, words: readonly string[]): Subject {
  const { shell, read, write, fetch, connect } = options;
  const subjects: Subject["what"][] = [];
  if (words.length > 0) subjects.push({ case: "command", value: commandInit(commandOf(words)) });
  if (shell !== undefined) subjects.push({ case: "command", value: commandInit({ shell }) });
  if (read !== undefined) subjects.push({ case: "read", value: resolve(read) });
  if (write !== undefined) subjects.push({ case: "write", value: resolve(write) });
  if (fetch !== undefined) subjects.push({ case: "fetch", value: fetch });
  if (connect !== undefined) subjects.push({ case: "connect", value: connect });
  const [what] = subjects;
  if (what === undefined || subjects.length > 1)
    throw new SallyportError(
      "invalid_argument",
      "give one thing to judge: a command, -c, --read, --write, --fetch or --connect",
      {
        field: "subject",
      },
    );
  return { what };
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
