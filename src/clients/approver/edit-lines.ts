import type { TryEditResponse } from "../../gen/sallyport/v1/approvals_pb.ts";
import { hasHidden, visible } from "../text/visible.ts";
import { findingLines } from "../text/words.ts";
import { frameOf, type Sheet } from "./frame.ts";

/** What an edited command would do, whole, as lines for a terminal. */
export function editLines(look: TryEditResponse, sheet: Sheet): string[] {
  const { bar, body, section, text, twisted, again } = frameOf(sheet);
  const { paint } = sheet;
  const findings = look.findings.flatMap(findingLines).map(visible);
  const lines = [
    "",
    `${paint.dim("┌")} ${paint.bold("Allow this instead?")}`,
    bar,
    ...body(visible(look.title), paint.bold),
    ...text("The whole text", look),
    ...section("What the answer would settle", findings.length === 0 ? ["nothing in it needs an answer"] : findings),
    ...section("Allowed", ["it runs once in the place of what was asked for, and the agent is told so"]),
    ...twisted(look.suspicious || hasHidden(look.title) || hasHidden(look.detail)),
  ];
  return [...lines, ...again(lines.length, look.title)];
}
