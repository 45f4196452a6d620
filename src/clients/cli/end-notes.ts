import type { ExecEnd } from "../client/exec-end.ts";
import type { ExecStartedEvent } from "../client/started-event.ts";
import { visible } from "../text/visible.ts";

/** What is worth saying of a command's end besides its status, a line each. */
export function endNotes({ truncated, limit, hint }: ExecEnd): string[] {
  return [
    ...(truncated ? ["sallyport: output was cut at its limit"] : []),
    ...(limit === "" ? [] : [`sallyport: ended by the ${visible(limit)} limit`]),
    ...(hint === "" ? [] : [`sallyport: ${visible(hint)}`]),
  ];
}

/** That a person let something else run, where one did. */
export function insteadNotes({ instead }: Pick<ExecStartedEvent, "instead">): string[] {
  if (instead === undefined) return [];
  const command = "argv" in instead ? JSON.stringify(instead.argv) : instead.shell;
  return [`sallyport: a person let this run instead: ${visible(command)}`];
}
