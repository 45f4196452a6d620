import type { LeftOutList } from "../ports/trees.ts";
import { replyPath } from "./reply-file.ts";
import { shorten } from "./shorten.ts";

const maxReason = 1024;

/** What was left out, as the fields that Upload and Download have for it. */
export function replyLeftOut({ first, count }: LeftOutList) {
  return {
    leftOut: first.map(({ name, reason }) => {
      const { text, bytes } = replyPath(name);
      return { name: text, nameBytes: bytes, reason: shorten(reason, maxReason) };
    }),
    leftOutCount: BigInt(count),
  };
}
