import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FileInfoSchema } from "../../gen/sallyport/v1/files_pb.ts";
import type { FileFacts } from "../ports.ts";
import { fileKindNumbers } from "../words.ts";

const nanosInSecond = 1_000_000_000n;

/** What is known of a path, as a message. */
export function replyFile(facts: FileFacts): MessageInitShape<typeof FileInfoSchema> {
  return {
    name: facts.name.toWellFormed(),
    rawName: facts.rawName ?? new Uint8Array(),
    kind: fileKindNumbers[facts.kind],
    size: BigInt(facts.size),
    mode: facts.mode,
    uid: facts.uid,
    gid: facts.gid,
    modifiedAt: replyNanos(facts.modifiedNs),
  };
}

/** RFC 3339 with nanoseconds; empty for a time outside of its four-digit years, which a file system can hold. */
export function replyNanos(ns: bigint): string {
  const fraction = ((ns % nanosInSecond) + nanosInSecond) % nanosInSecond;
  const time = new Date(Number((ns - fraction) / nanosInSecond) * 1000);
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() < 0 || time.getUTCFullYear() > 9999) return "";
  return `${time.toISOString().slice(0, 19)}.${fraction.toString().padStart(9, "0")}Z`;
}
