import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FileInfoSchema } from "../../gen/sallyport/v1/files_pb.ts";
import type { FileInfo } from "../ports/acting.ts";
import { fileKindNumbers } from "../words.ts";

/** What is known of a path, as a message. */
export function replyFile(info: FileInfo): MessageInitShape<typeof FileInfoSchema> {
  return {
    name: info.name,
    rawName: info.rawName ?? new Uint8Array(),
    kind: fileKindNumbers[info.kind],
    size: BigInt(info.size),
    mode: info.mode,
    uid: info.uid,
    gid: info.gid,
    modifiedAt: info.modifiedAt,
  };
}
