import type { ExecEnd } from "../client/exec-end.ts";
import { visible } from "../text/visible.ts";

/** What is worth saying of a command's end besides its status, a line each. */
export function endNotes({ truncated, limit }: ExecEnd): string[] {
  return [
    ...(truncated ? ["sallyport: output was cut at its limit"] : []),
    ...(limit === "" ? [] : [`sallyport: ended by the ${visible(limit)} limit`]),
  ];
}
