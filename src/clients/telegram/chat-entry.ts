import type { Question, QuestionClosed } from "../../gen/sallyport/v1/approvals_pb.ts";
import type { Posted } from "./posted-questions.ts";

/** A question in a chat, or on its way there. */
export interface Entry {
  readonly question: Question;
  /** True once anything of it may have been seen. */
  begun: boolean;
  /** Messages that were sent so far, so that a limit in between sends none twice. */
  sent: number;
  posted: Posted | undefined;
  closed: QuestionClosed | undefined;
  /** Where it stands in a list with others instead of a message of its own. */
  group: Group | undefined;
  /** True where it gets a message of its own, whatever else waits. */
  alone: boolean;
  /** Further messages about it: the command to copy, and what edited ones would do. */
  readonly asides: Posted[];
}

/** Questions in one message. */
export interface Group {
  readonly questions: readonly Question[];
  /** How those ended that are not open any more. */
  readonly ended: Map<string, QuestionClosed>;
  posted: Posted | undefined;
  /** True where the message does not say what is. */
  stale: boolean;
  /** True where each is shown by itself from now on. */
  split: boolean;
}

/** A question that came. */
export function newEntry(question: Question): Entry {
  return {
    question,
    begun: false,
    sent: 0,
    posted: undefined,
    closed: undefined,
    group: undefined,
    alone: false,
    asides: [],
  };
}

/** What is open in a list. */
export function openIn({ questions, ended }: Group): readonly Question[] {
  return questions.filter(({ id }) => !ended.has(id));
}
