import { randomBytes } from "node:crypto";
import { parseQuestionId, type QuestionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";

/** An identifier of 128 random bits. */
export function newQuestionId(): QuestionId {
  const id = parseQuestionId(randomBytes(16).toString("base64url"));
  if (id === undefined) throw new Problem("internal", "no valid question identifier was made");
  return id;
}
