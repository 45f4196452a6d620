import type { AuditRecord } from "../../../../gen/sallyport/v1/audit_pb.ts";
import { api } from "../api.ts";
import { bodyOf, fieldsOf, wordOf } from "../parts/record-fields.ts";

const mostRecords = 1000;
/** Answers of the session that are looked at. */
const mostAnswers = 50;

/** Every record of a request, and, where a person settled it, the answer before them. */
export async function traceOf(entryId: string, signal: AbortSignal): Promise<readonly AuditRecord[]> {
  const { records } = await api.audit.query({ filter: { entryId }, limit: mostRecords }, { signal });
  const [first] = records;
  if (first === undefined || records.some(({ kind }) => kind === "answered") || !byPerson(first)) return records;
  const { records: answers } = await api.audit.query(
    {
      filter: { sessionId: first.sessionId, kind: "answered" },
      limit: mostAnswers,
      beforeSequence: first.sequence,
    },
    { signal },
  );
  const answer = answers.findLast((each) => isAbout(each, first));
  return answer === undefined ? records : [answer, ...records];
}

function byPerson({ bodyJson }: AuditRecord): boolean {
  return fieldsOf(bodyOf(bodyJson)["by"])["kind"] === "person";
}

/** An answer names its question by title alone, in which the request's own words stand; what had to be made visible there is not compared. */
function isAbout(answer: AuditRecord, request: AuditRecord): boolean {
  const title = wordOf(bodyOf(answer.bodyJson)["title"]);
  const intent = fieldsOf(bodyOf(request.bodyJson)["intent"]);
  const command = fieldsOf(intent["command"]);
  const words = [command["text"], intent["path"], intent["url"], intent["host"], intent["name"]]
    .map(wordOf)
    .filter(Boolean);
  return words.length === 0 || words.some((word) => title.includes(/^[ -~]{0,80}/.exec(word)?.[0] ?? ""));
}
