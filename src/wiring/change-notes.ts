import type { Audit } from "../audit/open-audit.ts";
import type { Caller } from "../model/subject.ts";

/** Records that somebody wants to change what agents may do, before anything changes; a refusal of it is not recorded. @throws Problem where it cannot be written: then nothing may change. */
export type NoteChange = (by: Caller, change: string, about: Readonly<Record<string, unknown>>) => void;

/** Notes in the audit. */
export function changeNotes(audit: Audit): NoteChange {
  return (by, change, about) =>
    audit.note({ kind: "note", agent: by.agent, about: { change, ...about, by: by.agent, channel: by.channel } });
}
