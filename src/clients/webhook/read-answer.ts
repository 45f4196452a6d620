import { fromJson } from "@bufbuild/protobuf";
import { type AnswerRequest, AnswerRequestSchema } from "../../gen/sallyport/v1/approvals_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";

/** What a program sends for a person. */
export interface SentAnswer {
  /** Lower case, as the settings name him. */
  readonly person: string;
  /** For the log only. */
  readonly name: string;
  readonly request: AnswerRequest;
}

const identifier = /^[a-z0-9][a-z0-9._-]{0,47}$/;
const longestName = 200;

/** Reads `{"person":{"id","name"},"answer":{…}}`; the answer is AnswerRequest in the JSON mapping of proto3. @throws SallyportError `invalid_argument` naming the field */
export function readAnswer(body: Uint8Array): SentAnswer {
  const whole = objectOf("body", parsed(body));
  only("body", whole, ["person", "answer"]);
  const person = objectOf("person", whole["person"]);
  only("person", person, ["id", "name"]);
  const { id, name = "" } = person;
  if (typeof id !== "string" || !identifier.test(id))
    throw invalid("person.id", "must be lower-case letters, digits, `.`, `_`, `-`; 48 at most");
  if (typeof name !== "string" || name.length > longestName)
    throw invalid("person.name", `must be a text of ${longestName} characters at most`);
  return { person: id, name, request: requestOf(whole["answer"]) };
}

function requestOf(value: unknown): AnswerRequest {
  objectOf("answer", value);
  try {
    return fromJson(AnswerRequestSchema, value as Parameters<typeof fromJson>[1]);
  } catch (cause) {
    throw invalid("answer", cause instanceof Error ? cause.message.slice(0, 300) : "is no AnswerRequest", cause);
  }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw invalid("body", "is no JSON in UTF-8", cause);
  }
}

function objectOf(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(field, "must be an object");
  return { ...value };
}

function only(field: string, value: object, names: readonly string[]): void {
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other !== undefined) throw invalid(field, `has ${JSON.stringify(other.slice(0, 60))}, which is unknown`);
}

function invalid(field: string, reason: string, cause?: unknown): SallyportError {
  return new SallyportError("invalid_argument", `${field}: ${reason}`, { field, cause });
}
