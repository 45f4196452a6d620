import {
  create,
  type DescField,
  type DescMessage,
  type DescOneof,
  type MessageInitShape,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { RoomyBytes } from "../../model/roomy-bytes.ts";

/** An encoded message. */
export interface Encoded {
  readonly bytes: Buffer;
  /** Its one chunk, in whose room the head of `bytes` was written: there is place for five bytes more before them. */
  readonly roomy?: RoomyBytes;
}

/** Encodes one kind of message. */
export type Encoder<D extends DescMessage> = (message: MessageInitShape<D>) => Encoded;

/**
 * Makes the encoder of a message. Streams of output, files and answers are messages that hold one chunk of bytes in their only oneof: these are written
 * by hand, a tag, a length and the bytes, since the general writer copies and grows its buffer several times for a large chunk.
 */
export function encoderOf<D extends DescMessage>(schema: D): Encoder<D> {
  const [oneof] = schema.oneofs;
  const tags = oneof === undefined ? new Map<unknown, number>() : chunkTags(schema, oneof);
  return (message) => {
    if (oneof !== undefined && tags.size > 0) {
      const chunk = chunkIn(message, oneof.localName, tags);
      if (chunk !== undefined) return chunk;
    }
    const bytes = toBinary(schema, create(schema, message), { writeUnknownFields: false });
    return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
  };
}

/** The tag bytes of the `bytes` fields of a message that is nothing but this oneof; none for any other. */
function chunkTags(schema: DescMessage, oneof: DescOneof): ReadonlyMap<unknown, number> {
  if (schema.fields.some((field) => field.oneof !== oneof)) return new Map();
  const isShortBytes = (field: DescField): boolean =>
    field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES && field.number < 16;
  // Wire type 2: length-delimited.
  return new Map(schema.fields.filter(isShortBytes).map((field) => [field.localName, (field.number << 3) | 2]));
}

function chunkIn(message: object, oneof: string, tags: ReadonlyMap<unknown, number>): Encoded | undefined {
  const set: unknown = Reflect.get(message, oneof);
  if (typeof set !== "object" || set === null || !("case" in set) || !("value" in set)) return undefined;
  const tag = tags.get(set.case);
  const { value } = set;
  if (tag === undefined || !(value instanceof Uint8Array)) return undefined;
  const head = [tag];
  let length = value.length;
  for (; length > 127; length = Math.floor(length / 128)) head.push((length % 128) | 128);
  head.push(length);
  if (value instanceof RoomyBytes) {
    const framed = Buffer.from(value.buffer, value.byteOffset - head.length, head.length + value.length);
    framed.set(head);
    return { bytes: framed, roomy: value };
  }
  const encoded = Buffer.allocUnsafe(head.length + value.length);
  encoded.set(head);
  encoded.set(value, head.length);
  return { bytes: encoded };
}
