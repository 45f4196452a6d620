import type { Question } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { SurfacePort } from "../surface/surface-port.ts";
import { visible } from "../text/visible.ts";
import { cutAt, lengthOf, longestText, richText, type RichText, type Run } from "./rich-text.ts";

const commands = /^\/(status|pending)(?:@(\w{1,64}))?\s*$/;
const longestTitle = 200;
/** Room for the line that says how many are left out. */
const endRoom = 64;

/** What `/status` and `/pending` are answered with; undefined for any other text, and for a command to another bot. */
export async function commandReply(text: string, botName: string, port: SurfacePort): Promise<RichText | undefined> {
  const found = commands.exec(text);
  if (found === null || (found[2] !== undefined && found[2].toLowerCase() !== botName.toLowerCase())) return undefined;
  const questions = await port.list();
  return richText(found[1] === "status" ? status(questions) : pending(questions));
}

function status(questions: readonly Question[]): Run[] {
  const count = questions.length === 1 ? "1 question is" : `${questions.length} questions are`;
  const [oldest] = questions;
  const since = oldest === undefined ? "" : ` The oldest waits since ${oldest.askedAt.slice(0, 19)} UTC.`;
  return [{ text: `Sallyport is running. ${count} open.${since}`, style: "plain" }];
}

function pending(questions: readonly Question[]): Run[] {
  if (questions.length === 0) return [{ text: "No question is open.", style: "plain" }];
  const runs: Run[] = [];
  for (const [at, { title, agent, deadline }] of questions.entries()) {
    const shown = visible(title);
    const end = cutAt(shown, longestTitle);
    const lines: Run[] = [
      { text: `${shown.slice(0, end)}${end < shown.length ? "…" : ""}`, style: "pre" },
      { text: `\n${visible(agent)}`, style: "code" },
      { text: `, until ${deadline.slice(11, 19)} UTC\n`, style: "plain" },
    ];
    if (lengthOf(runs) + lengthOf(lines) > longestText - endRoom)
      return [...runs, { text: `and ${questions.length - at} more`, style: "plain" }];
    runs.push(...lines);
  }
  return runs;
}
