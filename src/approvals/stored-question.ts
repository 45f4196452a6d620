import type { Answer, AnswerKind } from "../model/gate-ports.ts";
import { parseAgentId, parseQuestionId, parseSessionId } from "../model/ids.ts";
import type { RuleDraft } from "../model/rule.ts";
import { parseChannel, type Subject } from "../model/subject.ts";
import type { OpenQuestion } from "./open-question.ts";
import { answersFor } from "./present.ts";

/** An open question as it is on disk: what people are shown, and what an answer needs. Never the request itself, which may hold secrets. */
export interface StoredQuestion {
  readonly shown: OpenQuestion;
  readonly digest: string;
  readonly subject: Subject;
  readonly drafts: readonly RuleDraft[];
}

const answerKinds: readonly AnswerKind[] = [
  "allow",
  "always-allow",
  "deny",
  "always-deny",
  "allow-session",
  "allow-for",
  "edit-and-allow",
];

/** The word for an answer, or undefined. */
export function answerKind(value: unknown): AnswerKind | undefined {
  return answerKinds.find((kind) => kind === value);
}

/** The text that `parseStoredQuestion` reads. */
export function questionJson({ shown, digest, subject, drafts }: StoredQuestion): string {
  return JSON.stringify({ shown, digest, subject, drafts });
}

/**
 * Reads a stored question. It cannot be edited any more: whoever could judge another text is gone. Undefined where anything in it is not as it should be. The file is
 * Sallyport's own and its owner's alone, so the lists in it are taken as they were written.
 */
export function parseStoredQuestion(json: string): StoredQuestion | undefined {
  try {
    const { shown, digest, subject, drafts } = JSON.parse(json) as StoredQuestion;
    const askedAt = new Date(shown.askedAt);
    const deadline = new Date(shown.deadline);
    const known =
      typeof digest === "string" &&
      parseQuestionId(shown.id) !== undefined &&
      parseSessionId(subject.session) !== undefined &&
      parseAgentId(subject.agent) !== undefined &&
      parseChannel(subject.channel) !== undefined &&
      [shown.findings, shown.allowDrafts, shown.denyDrafts, shown.marks, shown.places, drafts].every(Array.isArray) &&
      [shown.title, shown.detail, shown.preview, shown.group].every((part) => typeof part === "string") &&
      !Number.isNaN(askedAt.getTime() + deadline.getTime());
    if (!known) return undefined;
    const allowDrafts = drafts.length === 0 ? [] : shown.allowDrafts;
    const denyDrafts = drafts.length === 0 ? [] : shown.denyDrafts;
    const answers = answersFor({ allowDrafts, denyDrafts, editable: "" });
    return {
      shown: { ...shown, askedAt, deadline, allowDrafts, denyDrafts, answers, editable: "" },
      digest,
      subject,
      drafts,
    };
  } catch {
    return undefined;
  }
}

/** Reads a kept answer. Undefined where it is none. */
export function parseKeptAnswer(json: string): Answer | undefined {
  try {
    const { kind, by, message } = JSON.parse(json) as Answer;
    if (answerKind(kind) === undefined || by.kind !== "person") return undefined;
    if (typeof by.name !== "string" || typeof by.channel !== "string") return undefined;
    if (by.question !== undefined && parseQuestionId(by.question) === undefined) return undefined;
    return { kind, by, ...(typeof message === "string" ? { message } : {}) };
  } catch {
    return undefined;
  }
}
