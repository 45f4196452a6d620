import { type Verdict, VerdictSchema } from "../../../../gen/sallyport/v1/common_pb.ts";
import { enumWord } from "../../../text/words.ts";

/** A verdict as a coloured word. */
export function VerdictChip({ verdict }: { readonly verdict: Verdict }) {
  const word = enumWord(VerdictSchema, verdict);
  return <span class={`chip ${word}`}>{word}</span>;
}
