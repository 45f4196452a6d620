import type { Question, RuleDraft } from "../../gen/sallyport/v1/approvals_pb.ts";
import { VerdictSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { formatDuration } from "../text/duration.ts";
import { hasHidden, visible } from "../text/visible.ts";
import { enumWord, findingLines } from "../text/words.ts";
import { frameOf, type Sheet } from "./frame.ts";

/** What a question is drawn with. */
export interface Drawing extends Sheet {
  readonly now: Date;
  /** Questions that wait behind this one. */
  readonly behind: number;
}

/**
 * A question as lines for a terminal. The text of the request comes first and whole; what does not scroll away, next to the choice, is ours: what "always" would
 * write, the deadline, the marks. Every line carries the same bar, so that no text can pass for a part of the frame.
 */
export function questionLines(question: Question, drawing: Drawing): string[] {
  const { paint, behind } = drawing;
  const { bar, body, section, text, twisted, again } = frameOf(drawing);
  const more = behind === 0 ? "" : ` (${behind} more waiting)`;
  const lines = [
    "",
    `${paint.dim("┌")} ${paint.bold("Allow this?")}${more}`,
    bar,
    ...body(visible(question.title), paint.bold),
    ...text("The whole text", question),
    ...section("Who asks", [who(question)]),
    ...section("Why it is asked", question.findings.flatMap(findingLines).map(visible)),
    ...section("Always allow would write", withPlace(question.allowDrafts.map(draftLine), question)),
    ...section("Always deny would write", withPlace(question.denyDrafts.map(draftLine), question)),
    ...section("Silence is a denial", [deadlineLine(question.deadline, drawing.now)]),
    ...twisted(looksTwisted(question)),
  ];
  return [...lines, ...again(lines.length, question.title)];
}

function who({ agent, sessionId, channel, waiting, waitsForCaller }: Question): string {
  const asked = `agent ${visible(agent)}, session ${visible(sessionId)}, channel ${visible(channel)}`;
  const many = waiting > 1 ? `; ${waiting} requests wait for this answer` : "";
  return `${asked}${many}${waitsForCaller ? "; asked before a restart: the answer is kept until it is asked again" : ""}`;
}

/** The rules, and the file that they would go to. */
function withPlace(lines: readonly string[], { places }: Question): readonly string[] {
  const [place] = places;
  return lines.length === 0 || place === undefined ? lines : [...lines, `to ${visible(place.path)}`];
}

function draftLine({ effect, capability, match }: RuleDraft): string {
  return `${enumWord(VerdictSchema, effect)} ${visible(capability)} ${visible(JSON.stringify(match))}`;
}

function deadlineLine(deadline: string, now: Date): string {
  const at = new Date(deadline);
  if (Number.isNaN(at.getTime())) return visible(deadline);
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
  return `at ${clock}, in ${formatDuration(at.getTime() - now.getTime())}`;
}

// The server marks what it changed; what it missed is marked here.
function looksTwisted(question: Question): boolean {
  return question.suspicious || hasHidden(question.title) || hasHidden(question.detail) || hasHidden(question.agent);
}
