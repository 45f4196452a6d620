import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { Problem } from "../../model/problem.ts";

/**
 * Decodes one message. Outside of grpc-js's own deserializer, since what is thrown there becomes INTERNAL.
 * Fields of type `bytes` are views of `bytes`: a handler copies what it keeps.
 * @throws Problem `invalid_argument` where it is no such message; strings that are not UTF-8 count as that.
 */
export function decodeMessage<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, bytes, { readUnknownFields: false });
  } catch (cause) {
    throw new Problem("invalid_argument", `the request is no valid ${schema.typeName} (wire format or UTF-8)`, {
      cause,
    });
  }
}

/** grpc-js's serializer and deserializer: the bytes themselves. */
export function sameBytes(bytes: Buffer): Buffer {
  return bytes;
}
