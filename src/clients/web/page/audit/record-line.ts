import type { AuditRecord } from "../../../../gen/sallyport/v1/audit_pb.ts";
import { recordWords } from "../../../cli/record-words.ts";
import { bodyOf, fieldsOf, wordOf } from "../parts/record-fields.ts";

/** What a record says, in a few words. */
export function recordLine(record: AuditRecord): string {
  const note = bodyOf(record.bodyJson);
  const change = wordOf(note["change"]);
  if (change !== "")
    return [change, ...["address", "by", "channel"].map((name) => wordOf(note[name]))].filter(Boolean).join("  ");
  return recordWords(record);
}

/** Files and hosts that a request was about, by its findings. */
export function touched(records: readonly AuditRecord[]): {
  readonly files: readonly string[];
  readonly hosts: readonly string[];
} {
  const files = new Set<string>();
  const hosts = new Set<string>();
  for (const { bodyJson } of records) {
    const { findings } = bodyOf(bodyJson);
    for (const finding of Array.isArray(findings) ? findings : []) {
      const effect = fieldsOf(fieldsOf(finding)["effect"]);
      const kind = wordOf(effect["kind"]);
      if (["read", "write", "delete"].includes(kind)) files.add(`${kind} ${wordOf(effect["path"])}`);
      if (kind === "reach") hosts.add(`${wordOf(effect["host"])}:${wordOf(effect["port"])}`);
    }
  }
  return { files: [...files], hosts: [...hosts] };
}
