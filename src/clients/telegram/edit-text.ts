import type { Question, TryEditResponse } from "../../gen/sallyport/v1/approvals_pb.ts";
import { hasHidden, visible, visibleLines } from "../text/visible.ts";
import { findingLines } from "../text/words.ts";
import { bold, lengthOf, longestText, plain, pre, richText, type RichText, type Run } from "./rich-text.ts";

/** What a person copies, changes and sends back as a reply. */
export function copyText({ editable }: Question): RichText {
  const words: Run[] = [
    bold("Reply to this message with the whole command that is to run instead."),
    plain("\nNothing runs before you saw what it would do.\n"),
  ];
  const text: Run = { text: visibleLines(editable).join("\n"), style: "pre" };
  return richText(lengthOf([...words, text]) <= longestText ? [...words, text] : words);
}

/** What an edited command would do, whole; undefined where a message cannot show it. */
export function editedText(look: TryEditResponse): RichText | undefined {
  const twisted = look.suspicious || hasHidden(look.title) || hasHidden(look.detail);
  const findings = look.findings.flatMap(findingLines).map(visible).join("\n");
  const runs: Run[] = [
    bold("Allow this instead?"),
    ...(twisted ? [bold("\nLOOK TWICE: hidden or misleading characters were made visible.")] : []),
    plain("\n"),
    pre(visible(look.title)),
    bold("\nThe whole text\n"),
    pre(visibleLines(look.detail).join("\n")),
    ...(findings === ""
      ? [plain("\nNothing in it needs an answer.")]
      : [bold("\nWhat the answer would settle\n"), pre(findings)]),
    plain("\nAllowed, it runs once in the place of what was asked for, and the agent is told so."),
  ];
  return lengthOf(runs) <= longestText ? richText(runs) : undefined;
}
