import type { DetailPart } from "../../model/gate-ports.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Bytes of a diff that a person is shown. */
const maxShownBytes = 24_576;

/** A diff for a person, and where it was cut how. */
export function previewDiff(path: string, before: string, after: string): readonly DetailPart[] {
  const { text, truncated } = unifiedDiff(path, before, after, maxShownBytes);
  if (text === "" && !truncated) return [{ label: "what would change", text: "nothing: the content stays the same" }];
  const cut = truncated
    ? [{ label: "note", text: `the diff is longer than ${maxShownBytes} bytes: its end is not shown` }]
    : [];
  return [{ label: "what would change", text }, ...cut];
}
