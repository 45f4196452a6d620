import {
  fromBinary,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Client, Metadata } from "@grpc/grpc-js";
import { encoderOf } from "./encoder-of.ts";

/** A channel and the headers that go with every call on it. */
export interface Transport {
  readonly channel: Client;
  /** A new copy for each call: grpc-js adds to it. */
  metadata(): Metadata;
}

/** The three things that grpc-js needs to know of a method. */
export interface WireMethod<I extends DescMessage, O extends DescMessage> {
  readonly path: string;
  readonly encode: (message: MessageInitShape<I>) => Buffer;
  readonly decode: (bytes: Buffer) => MessageShape<O>;
}

/** Describes a generated method for grpc-js. */
export function wireMethod<I extends DescMessage, O extends DescMessage>(
  method: DescMethod & { input: I; output: O },
): WireMethod<I, O> {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    encode: encoderOf(method.input),
    decode: (bytes) => fromBinary(method.output, bytes),
  };
}
