import { type IncomingMessage, STATUS_CODES } from "node:http";
import { EgressProblem } from "../egress-problem.ts";
import { type Field, fieldsOf, isFieldValue } from "../field.ts";
import type { Credential } from "../intercepting/credential.ts";
import { maskEchoes } from "../intercepting/mask-echoes.ts";
import { objectionToCoding } from "../status-lines.ts";
import { endToEnd } from "./framing.ts";

/** The head of a server's answer as it may be passed on. */
export interface CheckedAnswer {
  readonly status: number;
  /** What the status means; the server's own words are not passed on, for they may hold anything. */
  readonly phrase: string;
  readonly fields: readonly Field[];
}

const maxFields = 256;

/** Checks that an answer can be read in one way and written anew; secrets of `own` that its header gives back are masked. @throws EgressProblem `protocol_error`, `headers_too_large` */
export function checkedAnswer(answer: IncomingMessage, own: readonly Credential[]): CheckedAnswer {
  const status = answer.statusCode ?? 0;
  if (status < 101 || status > 599) throw bad(`status ${status} means nothing`);
  const all = fieldsOf(answer.rawHeaders);
  const coding = objectionToCoding(all, answer.httpVersion);
  if (coding !== undefined) throw bad(coding);
  if (all.filter(([name]) => name.toLowerCase() !== "set-cookie").length > maxFields)
    throw new EgressProblem("headers_too_large", `the answer has more than ${maxFields} headers`);
  // 204 has no body and may not give the length of one (RFC 9110, section 8.6): some clients would wait for it.
  const fields = endToEnd(answer.rawHeaders, "response").filter(
    ([name]) => status !== 204 || name.toLowerCase() !== "content-length",
  );
  if (fields.some(([, value]) => !isFieldValue(value))) throw bad("a header holds a control character");
  return { status, phrase: STATUS_CODES[status] ?? "Unknown", fields: maskEchoes(fields, own) };
}

function bad(why: string): EgressProblem {
  return new EgressProblem("protocol_error", `the answer cannot be passed on: ${why}`);
}
