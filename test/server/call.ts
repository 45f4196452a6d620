import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type CallOptions,
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientWritableStream,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { StatusSchema } from "../../src/gen/google/rpc/status_pb.ts";

type Shaped<I extends DescMessage, O extends DescMessage> = DescMethod & { readonly input: I; readonly output: O };

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function encoder<I extends DescMessage>(schema: I) {
  return (message: MessageInitShape<I>): Buffer => Buffer.from(toBinary(schema, create(schema, message)));
}

function decoder<O extends DescMessage>(schema: O) {
  return (bytes: Buffer): MessageShape<O> => fromBinary(schema, bytes);
}

/** Metadata with a bearer token. */
export function bearer(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

/** Calls a unary method; rejects with the ServiceError. */
export function callUnary<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: Shaped<I, O>,
  request: MessageInitShape<I>,
  metadata: Metadata = new Metadata(),
  options: CallOptions = {},
): Promise<MessageShape<O>> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      pathOf(method),
      encoder(method.input),
      decoder(method.output),
      request,
      metadata,
      options,
      (error, answer) => {
        if (error !== null) reject(error);
        else if (answer === undefined) reject(new Error("no answer"));
        else resolve(answer);
      },
    );
  });
}

/** Calls a unary method with raw request bytes. */
export function callRaw(
  client: Client,
  path: string,
  bytes: Buffer,
  metadata: Metadata = new Metadata(),
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      (same: Buffer) => same,
      (same) => same,
      bytes,
      metadata,
      (error, answer) =>
        error === null && answer !== undefined ? resolve(answer) : reject(error ?? new Error("no answer")),
    );
  });
}

/** Opens a server stream. */
export function openServerStream<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: Shaped<I, O>,
  request: MessageInitShape<I>,
  metadata: Metadata = new Metadata(),
  options: CallOptions = {},
): ClientReadableStream<MessageShape<O>> {
  return client.makeServerStreamRequest(
    pathOf(method),
    encoder(method.input),
    decoder(method.output),
    request,
    metadata,
    options,
  );
}

/** Opens a client stream and a promise of its answer. */
export function openClientStream<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: Shaped<I, O>,
  metadata: Metadata = new Metadata(),
): { stream: ClientWritableStream<MessageInitShape<I>>; answer: Promise<MessageShape<O>> } {
  const { promise, resolve, reject } = Promise.withResolvers<MessageShape<O>>();
  const stream = client.makeClientStreamRequest<MessageInitShape<I>, MessageShape<O>>(
    pathOf(method),
    encoder(method.input),
    decoder(method.output),
    metadata,
    (error, answer) =>
      error === null && answer !== undefined ? resolve(answer) : reject(error ?? new Error("no answer")),
  );
  return { stream, answer: promise };
}

/** Opens a bidirectional stream. */
export function openBidi<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: Shaped<I, O>,
  metadata: Metadata = new Metadata(),
  options: CallOptions = {},
): ClientDuplexStream<MessageInitShape<I>, MessageShape<O>> {
  return client.makeBidiStreamRequest(pathOf(method), encoder(method.input), decoder(method.output), metadata, options);
}

/** Everything that a stream brings until it ends; rejects with its ServiceError. */
export function collect<T>(stream: ClientReadableStream<T> | ClientDuplexStream<unknown, T>): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const all: T[] = [];
    stream.on("data", (message: T) => void all.push(message));
    stream.on("error", reject);
    stream.on("end", () => resolve(all));
  });
}

/** How a call failed: the code's name, the message, and the first structured detail as its type and bytes. */
export async function failureOf(
  call: Promise<unknown>,
): Promise<{ code: string; details: string; detail: { typeUrl: string; value: Uint8Array } | undefined }> {
  const error = await call.then(
    (answer) =>
      Promise.reject(
        new Error(
          `it succeeded: ${JSON.stringify(answer, (_key, value: unknown) => (typeof value === "bigint" ? `${value}n` : value))}`,
        ),
      ),
    (failure: unknown) => failure as ServiceError,
  );
  const [packed] = error.metadata.get("grpc-status-details-bin");
  const detail = typeof packed === "object" ? fromBinary(StatusSchema, packed).details[0] : undefined;
  return { code: status[error.code], details: error.details, detail };
}
