import type { AuditRecord } from "../../gen/sallyport/v1/audit_pb.ts";

/** What a record says, in a few words. The whole of it is in `--json`; a body that this client does not know is given as it is. Not yet safe on a terminal. */
export function recordWords({ bodyJson }: AuditRecord): string {
  const body = objectOf(parsed(bodyJson));
  const intent = objectOf(body["intent"]);
  const outcome = objectOf(body["outcome"]);
  if (typeof intent["kind"] === "string")
    return [word(body["verdict"]), intentWords(intent["kind"], intent)].join("  ");
  if (typeof outcome["kind"] === "string") return outcomeWords(outcome["kind"], outcome);
  if (typeof body["title"] === "string") return [word(body["answer"]), body["title"]].join("  ");
  return bodyJson;
}

function intentWords(kind: string, intent: Fields): string {
  const command = objectOf(intent["command"]);
  const argv = Array.isArray(command["argv"]) ? command["argv"].map(word).join(" ") : word(command["text"]);
  const { from, to } = intent;
  const way = from === undefined || to === undefined ? undefined : `${word(from)} -> ${word(to)}`;
  const place = intent["path"] ?? intent["url"] ?? intent["name"] ?? way;
  const host = intent["host"] === undefined ? "" : `${word(intent["host"])}:${word(intent["port"])}`;
  return [kind, argv, word(place), place === undefined ? host : ""].filter(Boolean).join(" ");
}

function outcomeWords(kind: string, outcome: Fields): string {
  const facts = Object.entries(objectOf(outcome["facts"])).map(([name, value]) => `${name} ${word(value)}`);
  return [kind, word(outcome["reason"]), facts.join(", ")].filter(Boolean).join("  ");
}

type Fields = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function word(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
