import type { MessageInitShape } from "@bufbuild/protobuf";
import type { TrashEntrySchema } from "../../gen/sallyport/v1/files_pb.ts";
import type { Trashed } from "../ports/changing.ts";
import { fileKindNumbers } from "../words.ts";
import { replyPath } from "./reply-file.ts";

/** An entry of the trash, as a message. */
export function replyTrashed(
  trashed: Trashed & { readonly expiresAt: Date },
): MessageInitShape<typeof TrashEntrySchema> {
  const { text, bytes } = replyPath(trashed.path);
  return {
    id: trashed.id,
    path: text,
    pathBytes: bytes,
    kind: fileKindNumbers[trashed.kind],
    entries: BigInt(trashed.entries),
    bytes: BigInt(trashed.bytes),
    agent: trashed.agent,
    removedAt: trashed.removedAt.toISOString(),
    expiresAt: trashed.expiresAt.toISOString(),
  };
}
