import { AnswerKind, type Question, RulesFile } from "../../../../gen/sallyport/v1/approvals_pb.ts";

/** An answer as it is sent. */
export interface Reply {
  readonly answer: AnswerKind;
  readonly message?: string;
  readonly edited?: string;
  /** What stands for all that the edited text was shown to do. */
  readonly plan?: string;
  readonly forSeconds?: number;
  readonly file?: RulesFile;
}

/** What may be answered. A server that does not say so knows only the four plain answers. */
export function offered(question: Question): ReadonlySet<AnswerKind> {
  if (question.answers.length > 0) return new Set(question.answers);
  return new Set([
    AnswerKind.ALLOW,
    AnswerKind.DENY,
    ...(question.allowDrafts.length > 0 ? [AnswerKind.ALWAYS_ALLOW] : []),
    ...(question.denyDrafts.length > 0 ? [AnswerKind.ALWAYS_DENY] : []),
  ]);
}

/** Where "always" writes, if a person chooses nothing else. */
export function usualPlace(question: Question): RulesFile {
  return question.places[0]?.file ?? RulesFile.UNSPECIFIED;
}

/** What became of a question, in words. */
export function settledWords(answer: AnswerKind, by: string): string {
  const who = by === "" ? "" : ` by ${by}`;
  switch (answer) {
    case AnswerKind.ALLOW:
      return `Allowed${who}`;
    case AnswerKind.ALWAYS_ALLOW:
      return `Always allowed${who}`;
    case AnswerKind.ALLOW_SESSION:
      return `Allowed for the session${who}`;
    case AnswerKind.ALLOW_FOR:
      return `Allowed for a time${who}`;
    case AnswerKind.EDIT_AND_ALLOW:
      return `Edited and allowed${who}`;
    case AnswerKind.DENY:
      return `Denied${who}`;
    case AnswerKind.ALWAYS_DENY:
      return `Always denied${who}`;
    default:
      return by === "" ? "No longer asked" : `No longer asked: ${by}`;
  }
}
