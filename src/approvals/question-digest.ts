import { createHash } from "node:crypto";
import type { Question } from "../model/gate-ports.ts";

/**
 * Two questions with the same digest are one to a person: the same subject asks for exactly the same. It is the same text in every run of the sidecar, so that an
 * answer finds the request that it was given for. The mode is no part of it: what it opens is.
 */
export function questionDigest(question: Question): string {
  const { intent, title, open, drafts, operands } = question;
  const { mode: _mode, ...subject } = question.subject;
  const bytes = intent.kind === "fetch" && intent.body !== undefined ? hash(intent.body) : "";
  const asked = JSON.stringify([subject, { ...intent, body: bytes }, title, open, drafts, operands]);
  return hash(Buffer.from(asked, "utf8"));
}

function hash(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
