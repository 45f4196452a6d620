import type { ReadStream, WriteStream } from "node:tty";
import {
  AnswerKind,
  AnswerKindSchema,
  type Question,
  type QuestionClosed,
} from "../../gen/sallyport/v1/approvals_pb.ts";
import type { Rule } from "../../gen/sallyport/v1/common_pb.ts";
import type { SallyportClient } from "../client/create-client.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { palette } from "../text/palette.ts";
import { visible } from "../text/visible.ts";
import { waitingCount } from "../text/waiting-count.ts";
import { enumWord, ruleWords } from "../text/words.ts";
import { chooseAnswer, type Reply } from "./choose-answer.ts";
import { editLines } from "./edit-lines.ts";
import type { Sheet } from "./frame.ts";
import { keyGate } from "./key-gate.ts";
import { promptsOn } from "./prompts.ts";
import { questionLines } from "./question-lines.ts";
import { questionQueue, type Waiting } from "./question-queue.ts";

/** What the approver works with. */
export interface ApproverOptions {
  /** An admin's connection. */
  readonly client: Pick<SallyportClient, "approvals">;
  /** A terminal; taken over while the approver runs, so that nothing typed ahead becomes an answer. */
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Ends the approver, answering nothing. */
  readonly signal: AbortSignal;
  /** True to end when no question is open; otherwise it waits for more. */
  readonly once?: boolean;
  /** How long a question must stand before keys count, in milliseconds; 500 by default. */
  readonly graceMs?: number;
  /** Lines that the person must see, such as a broken rules file; shown at once, or after the question that stands on the screen. */
  readonly notices?: { listen(show: (line: string) => void): void };
  /** For `NO_COLOR` and `TERM`. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Why the approver ended: nothing was left, Ctrl-C or the terminal's end, or the caller's signal. */
export type ApproverEnd = "done" | "interrupted" | "aborted";

/**
 * Shows every open question on a terminal and sends the answers. Escape lays a question aside, Ctrl-C leaves; neither answers. A question that is answered or
 * withdrawn elsewhere leaves the screen. @throws SallyportError `invalid_argument` without a terminal, and whatever ends the watch
 */
export async function runApprover(options: ApproverOptions): Promise<ApproverEnd> {
  const { client, input, output, signal, once = false, graceMs = 500, env = process.env } = options;
  if (!input.isTTY || !output.isTTY)
    throw new SallyportError(
      "invalid_argument",
      "the approver needs a terminal; without one use `sallyport approvals list` and `sallyport approvals answer`",
      { field: "input" },
    );
  const paint = palette(output, env);
  const queue = questionQueue();
  const print = (...lines: string[]): void => void output.write(lines.map((line) => `${line}\n`).join(""));
  if (once) for (const question of (await client.approvals.list({}, { signal })).questions) queue.opened(question);
  if (once && queue.waiting === 0) {
    print("No question is open.");
    return "done";
  }
  const gate = keyGate(input);
  gate.onIdleEnter = () => queue.recall();
  const lost = new AbortController();
  const stop = AbortSignal.any([signal, gate.interrupted, lost.signal]);
  void watch();
  const late: string[] = [];
  let standing = false;
  options.notices?.listen((line) => {
    if (standing) late.push(line);
    else notify(line);
  });
  try {
    for (;;) {
      if (!once && queue.waiting === 0) print(paint.dim(idleLine(queue.aside)));
      const waiting = await queue.next(!once, stop);
      if (waiting === undefined) break;
      standing = true;
      await put(waiting);
      standing = false;
      for (const line of late.splice(0)) notify(line);
      if (stop.aborted) break;
    }
    // First who wanted it to end: the watch ends with them.
    if (gate.interrupted.aborted) return "interrupted";
    if (signal.aborted) return "aborted";
    if (lost.signal.aborted) throw lost.signal.reason;
    return "done";
  } finally {
    gate.release();
    lost.abort();
  }

  function notify(line: string): void {
    print(paint.yellow(visible(line)));
  }

  async function watch(): Promise<void> {
    try {
      for await (const { event } of client.approvals.watch({}, { signal: AbortSignal.any([signal, lost.signal]) })) {
        if (event.case === "opened") queue.opened(event.value);
        else if (event.case === "closed") queue.closed(event.value);
      }
      lost.abort(new SallyportError("unavailable", "the server ended the watch"));
    } catch (error) {
      lost.abort(error);
    }
  }

  async function put(waiting: Waiting): Promise<void> {
    const { question } = waiting;
    // Some terminals say that they have no size.
    const columns = output.columns || 80;
    const rows = output.rows || 24;
    const sheet = { paint, columns, rows };
    print(...questionLines(question, { ...sheet, now: new Date(), behind: queue.waiting }));
    const signals = AbortSignal.any([waiting.closed, stop]);
    const prompts = promptsOn({ gate, output, signal: signals, graceMs });
    const tryEdit = (edited: string): Promise<string | undefined> => look(question.id, edited, sheet);
    let edited: string | undefined;
    do {
      const choice = await chooseAnswer(
        { question, alike: () => queue.alike(question), edited, tryEdit, print },
        prompts,
      );
      if (choice.kind === "cut") {
        if (waiting.closed.aborted) print(paint.yellow(closedLine(waiting.closed.reason)));
        return;
      }
      if (choice.kind === "left") {
        queue.putAside(waiting);
        print(paint.dim("Left open. Other surfaces can answer it; silence is a denial at the deadline."));
        return;
      }
      const sent = await send(question, choice.reply);
      edited = sent === "refused" ? choice.reply.edited : undefined;
      // Where the question is still open, as where a rule could not be written, it is not lost.
      if (sent !== "counted" && edited === undefined) queue.putAside(waiting);
    } while (edited !== undefined);
  }

  /** Shows what an edited text would do, and gives what stands for it. */
  async function look(questionId: string, edited: string, sheet: Sheet): Promise<string | undefined> {
    try {
      const looked = await client.approvals.tryEdit({ questionId, edited }, { signal: stop });
      print(...editLines(looked, sheet));
      return looked.plan;
    } catch (error) {
      failed("That may not run", error);
      return undefined;
    }
  }

  /** `refused` and `more`: it was not counted, which is said, and the question may be open still. `more`: it must be shown anew. */
  async function send(question: Question, reply: Reply): Promise<"counted" | "refused" | "more"> {
    const request = { waiting: waitingCount([question]), ...reply, questionId: question.id };
    try {
      const { rules, notCounted } = await client.approvals.answer(request, { signal: stop });
      const denied = reply.answer === AnswerKind.DENY || reply.answer === AnswerKind.ALWAYS_DENY;
      print(denied ? paint.red("Denied.") : paint.green("Allowed."));
      for (const rule of rules) print(`  ${ruleLine(rule)}`);
      for (const { reason } of notCounted) print(paint.yellow(`Not counted for one of them: ${visible(reason)}`));
      return "counted";
    } catch (error) {
      // Such as a question that somebody else answered in this moment: the others still wait.
      failed("Not counted", error);
      return error instanceof SallyportError && error.field === "waiting" ? "more" : "refused";
    }
  }

  /** Where the server itself is gone, the end of the watch says so. */
  function failed(what: string, error: unknown): void {
    if (stop.aborted) return;
    if (!(error instanceof SallyportError)) throw error;
    print(paint.yellow(`${what}: ${visible(error.message)}`));
  }
}

function ruleLine(rule: Rule): string {
  const until = rule.expiresAt === "" ? "" : `, until ${visible(rule.expiresAt)}`;
  return `wrote ${visible(ruleWords(rule))}${until}`;
}

function idleLine(aside: number): string {
  const left = aside === 0 ? "" : ` Enter shows the ${aside} left open again.`;
  return `Waiting for questions; Ctrl-C leaves.${left}`;
}

function closedLine(reason: unknown): string {
  const { answer, by } = reason as QuestionClosed;
  if (answer === AnswerKind.UNSPECIFIED) return `Withdrawn: ${visible(by.replace(/^withdrawn: /, ""))}`;
  return `Answered elsewhere (${enumWord(AnswerKindSchema, answer)}): ${visible(by)}`;
}
