import {
  AnswerKind,
  AnswerKindSchema,
  type Question,
  type QuestionClosed,
} from "../../gen/sallyport/v1/approvals_pb.ts";
import { visible } from "../text/visible.ts";
import { enumWord } from "../text/words.ts";
import { cutAt, richText, type RichText, type Run } from "./rich-text.ts";

const longestBy = 300;
const longestTitle = 1000;

/** How a question ended, in words. */
export function closedWords({ answer, by }: QuestionClosed): string {
  const who = visible(by).slice(0, longestBy);
  return answer === AnswerKind.UNSPECIFIED ? who : `${enumWord(AnswerKindSchema, answer)}: ${who}`;
}

/** What a message says when its question is over. */
export function endText({ title, agent }: Question, words: string): RichText {
  const shown = visible(title);
  const runs: Run[] = [
    { text: words, style: "bold" },
    { text: "\n", style: "plain" },
    { text: shown.slice(0, cutAt(shown, longestTitle)), style: "pre" },
    { text: "\n", style: "plain" },
    { text: visible(agent), style: "code" },
  ];
  return richText(runs);
}
