import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FileInfoSchema } from "../../gen/sallyport/v1/files_pb.ts";
import { bytesOfPath } from "../../model/path-bytes.ts";
import type { FileInfo } from "../ports/acting.ts";
import { fileKindNumbers } from "../words.ts";

/** What is known of a path, as a message. */
export function replyFile(info: FileInfo): MessageInitShape<typeof FileInfoSchema> {
  const { text, bytes } = replyPath(info.name);
  return {
    name: text,
    rawName: bytes,
    kind: fileKindNumbers[info.kind],
    size: BigInt(info.size),
    mode: info.mode,
    uid: info.uid,
    gid: info.gid,
    modifiedAt: info.modifiedAt,
    links: BigInt(info.links),
    allocated: BigInt(info.allocated),
    sha256: info.sha256 ?? new Uint8Array(),
  };
}

/** A path or a name as a text for people, with its bytes where the text cannot hold them. */
export function replyPath(path: string): { readonly text: string; readonly bytes: Uint8Array } {
  if (path.isWellFormed()) return { text: path, bytes: new Uint8Array() };
  return { text: path.toWellFormed(), bytes: bytesOfPath(path) };
}
