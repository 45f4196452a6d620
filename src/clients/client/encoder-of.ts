import { create, type DescMessage, type MessageInitShape, ScalarType, toBinary } from "@bufbuild/protobuf";
import { type CopiedOnce, copiedOnce } from "./copied-once.ts";

/**
 * Makes the encoder of a message. A chunk of bytes in the message's only oneof, which is what streams of files and of input are made of, is written by hand: a tag, a length and the
 * bytes, since the general writer copies a large chunk several times.
 */
export function encoderOf<I extends DescMessage>(schema: I): (message: MessageInitShape<I>) => Buffer {
  const [oneof] = schema.oneofs;
  const tags = new Map<unknown, number>();
  if (oneof !== undefined && schema.fields.every((field) => field.oneof === oneof))
    for (const field of schema.fields)
      if (field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES && field.number < 16)
        // Wire type 2: length-delimited.
        tags.set(field.localName, (field.number << 3) | 2);
  const bufferOf = copiedOnce();
  return (message) => {
    const set: unknown = oneof === undefined || tags.size === 0 ? undefined : Reflect.get(message, oneof.localName);
    if (typeof set === "object" && set !== null && "case" in set && "value" in set) {
      const tag = tags.get(set.case);
      if (tag !== undefined && set.value instanceof Uint8Array) return chunk(bufferOf, tag, set.value);
    }
    const bytes = toBinary(schema, create(schema, message));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

function chunk(bufferOf: CopiedOnce, tag: number, value: Uint8Array): Buffer {
  const head = [tag];
  let { length } = value;
  for (; length > 127; length = Math.floor(length / 128)) head.push((length % 128) | 128);
  head.push(length);
  const encoded = bufferOf(head.length + value.length);
  encoded.set(head);
  encoded.set(value, head.length);
  return encoded;
}
