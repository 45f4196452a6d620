import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Problem, type ProblemCode } from "../../model/problem.ts";
import { EgressProblem } from "../egress-problem.ts";
import { reasons } from "../reason.ts";
import { reasonHeader } from "./framing.ts";

/** The answer to a request that is not carried out. */
export interface RefusalReply {
  readonly status: number;
  /** What the status means, and the rule or reason: all that some clients show of the answer to CONNECT. */
  readonly phrase: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What may stand in a reason phrase. */
const shown = /^[\w.:-]{1,80}$/;

/** Turns a failure into an answer that an agent can read: what was refused, by which rule, and what to do next. */
export function refusalReply(error: unknown, host: string): RefusalReply {
  const problem = error instanceof Problem ? error : new Problem("internal", "the proxy failed");
  const reason = problem instanceof EgressProblem ? problem.reason : problem.code;
  const status = problem instanceof EgressProblem ? reasons[problem.reason].status : statusOf(problem.code);
  const { denial } = problem;
  const wait = (problem instanceof EgressProblem ? problem.retryAfter : undefined) ?? 1;
  const body = JSON.stringify({
    error: problem.message,
    reason,
    rule: denial?.ruleId ?? "",
    host,
    hint: [denial?.missing && `needs ${denial.missing}`, denial?.next].filter(Boolean).join("; "),
  });
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    [reasonHeader]: reason,
    Connection: "close",
    ...(status === 429 || status === 503 ? { "Retry-After": String(Math.max(1, Math.ceil(wait))) } : {}),
  };
  const why = denial?.ruleId ?? reason;
  const phrase = `${STATUS_CODES[status] ?? "Refused"}${shown.test(why) ? ` (${why})` : ""}`;
  return { status, phrase, headers, body };
}

function statusOf(code: ProblemCode): number {
  switch (code) {
    case "permission_denied":
    case "unauthenticated":
      return 403;
    case "invalid_argument":
    case "out_of_range":
      return 400;
    case "resource_exhausted":
      return 429;
    case "deadline_exceeded":
      return 504;
    case "unavailable":
    case "aborted":
    case "cancelled":
    case "failed_precondition":
      return 503;
    default:
      return 500;
  }
}

/** Milliseconds that a refused client gets to read its answer and close. */
const lingerMs = 2000;

/** Writes the answer to a stream whose HTTP parser is gone, and closes it. */
export function writeRefusal(stream: Duplex, error: unknown, host: string): void {
  const { status, phrase, headers, body } = refusalReply(error, host);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${phrase}\r\n${fields.join("")}`;
  endWith(stream, `${head}\r\n${body}`);
}

/** Ends a stream with a last text. A reset while bytes are unread would take the answer with it, so what still comes is read and dropped. */
export function endWith(stream: Duplex, text: string | Uint8Array): void {
  if (!stream.writable) {
    stream.destroy();
    return;
  }
  const timer = setTimeout(() => stream.destroy(), lingerMs);
  stream.once("close", () => clearTimeout(timer));
  stream.end(text);
  stream.resume();
}
