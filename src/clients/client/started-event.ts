import type { ExecStarted } from "../../gen/sallyport/v1/exec_pb.ts";

/** The command runs. */
export interface ExecStartedEvent {
  readonly kind: "started";
  readonly pid: number;
  readonly entryId: string;
  /** What runs in place of what was asked for, because a person changed it: shell text, or a program with its arguments. */
  readonly instead?: { readonly shell: string } | { readonly argv: readonly string[] };
}

/** Reads it from its message. */
export function startedEvent({ pid, entryId, instead }: ExecStarted): ExecStartedEvent {
  switch (instead?.form.case) {
    case "shell":
      return { kind: "started", pid, entryId, instead: { shell: instead.form.value } };
    case "argv":
      return { kind: "started", pid, entryId, instead: { argv: instead.form.value.words } };
    default:
      return { kind: "started", pid, entryId };
  }
}
