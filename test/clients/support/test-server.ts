import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, fromBinary, toBinary, type DescMessage, type DescMethod, type DescService } from "@bufbuild/protobuf";
import type { MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import type { GenService, GenServiceMethods } from "@bufbuild/protobuf/codegenv2";
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { StatusSchema } from "../../../src/gen/google/rpc/status_pb.ts";
import { DenialSchema, FieldViolationSchema } from "../../../src/gen/sallyport/v1/common_pb.ts";

/** What a handler knows of its call. */
export interface Context {
  readonly signal: AbortSignal;
  readonly metadata: Metadata;
}

/** A failure that a handler throws: becomes a status with details. */
export class Refusal extends Error {
  readonly code: number;
  readonly denial: MessageInitShape<typeof DenialSchema> | undefined;
  readonly field: string | undefined;

  constructor(
    code: number,
    message: string,
    detail: { denial?: MessageInitShape<typeof DenialSchema>; field?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.denial = detail.denial;
    this.field = detail.field;
  }
}

type Init<M extends { output: DescMessage }> = MessageInitShape<M["output"]>;
type In<M extends { input: DescMessage }> = MessageShape<M["input"]>;
type Shape<K extends string> = { methodKind: K; input: DescMessage; output: DescMessage };
type HandlerOf<M> =
  M extends Shape<"unary">
    ? (request: In<M>, context: Context) => Init<M> | Promise<Init<M>>
    : M extends Shape<"server_streaming">
      ? (request: In<M>, context: Context) => AsyncIterable<Init<M>>
      : M extends Shape<"client_streaming">
        ? (requests: AsyncIterable<In<M>>, context: Context) => Promise<Init<M>>
        : M extends Shape<"bidi_streaming">
          ? (requests: AsyncIterable<In<M>>, context: Context) => AsyncIterable<Init<M>>
          : never;

/** Handlers of some methods of a service; the others answer UNIMPLEMENTED. */
export type Handlers<Methods extends GenServiceMethods> = { [K in keyof Methods]?: HandlerOf<Methods[K]> };

/** One service with its handlers. */
export interface Mounted {
  readonly service: DescService;
  readonly handlers: Readonly<Record<string, unknown>>;
}

/** Pairs a generated service with handlers. */
export function mount<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
  handlers: Handlers<Methods>,
): Mounted {
  return { service: { ...service, kind: "service" } as unknown as DescService, handlers };
}

/** A running server. */
export interface TestServer {
  readonly socket: string;
  readonly address: string;
  close(): Promise<void>;
}

/** Serves handlers on a unix socket in a fresh folder and on a loopback port. */
export async function startTestServer(...mounted: readonly Mounted[]): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-clients-"));
  const socket = join(folder, "s.sock");
  const server = new Server({
    "grpc.max_receive_message_length": 16 * 1024 * 1024,
    "grpc.max_send_message_length": -1,
  });
  for (const { service, handlers } of mounted) {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const implementation: UntypedServiceImplementation = {};
    for (const method of service.methods) {
      definition[method.localName] = describe(method);
      const handler = handlers[method.localName];
      if (handler !== undefined) implementation[method.localName] = glue(method, handler as never) as never;
    }
    server.addService(definition, implementation);
  }
  await bind(server, `unix:${socket}`);
  const port = await bind(server, "127.0.0.1:0");
  return {
    socket,
    address: `127.0.0.1:${port}`,
    async close() {
      server.forceShutdown();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function bind(server: Server, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

function describe(method: DescMethod): ServiceDefinition[string] {
  const encode = (schema: DescMessage) => (message: MessageInitShape<DescMessage>) =>
    Buffer.from(toBinary(schema, create(schema, message)));
  const decode = (schema: DescMessage) => (bytes: Buffer) => fromBinary(schema, bytes);
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
    responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
    requestSerialize: encode(method.input),
    requestDeserialize: decode(method.input),
    responseSerialize: encode(method.output),
    responseDeserialize: decode(method.output),
  };
}

type AnyHandler = (input: unknown, context: Context) => Promise<unknown> | AsyncIterable<unknown>;
type AnyCall = ServerUnaryCall<unknown, unknown> &
  ServerReadableStream<unknown, unknown> &
  ServerWritableStream<unknown, unknown> &
  ServerDuplexStream<unknown, unknown>;

function glue(method: DescMethod, handler: AnyHandler) {
  const streamsIn = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  const streamsOut = method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming";
  return (call: AnyCall, callback: sendUnaryData<unknown>): void => {
    const controller = new AbortController();
    call.on("cancelled", () => controller.abort());
    call.on("error", () => controller.abort());
    const context = { signal: controller.signal, metadata: call.metadata };
    const input = streamsIn ? call.iterator({ destroyOnReturn: false }) : call.request;
    void (streamsOut ? stream() : answer());

    async function answer(): Promise<void> {
      try {
        callback(null, await (handler(input, context) as Promise<unknown>));
      } catch (error) {
        callback(statusOf(error));
      }
    }
    async function stream(): Promise<void> {
      try {
        for await (const message of handler(input, context) as AsyncIterable<unknown>) {
          if (controller.signal.aborted) return;
          if (!call.write(message))
            await new Promise((go) => [call.once("drain", go), controller.signal.addEventListener("abort", go)]);
        }
        call.end();
      } catch (error) {
        call.emit("error", statusOf(error));
      }
    }
  };
}

function statusOf(error: unknown) {
  if (!(error instanceof Refusal)) return { code: 13, details: error instanceof Error ? error.message : String(error) };
  const details = [
    ...(error.denial === undefined ? [] : [anyPack(DenialSchema, create(DenialSchema, error.denial))]),
    ...(error.field === undefined
      ? []
      : [anyPack(FieldViolationSchema, create(FieldViolationSchema, { field: error.field, reason: error.message }))]),
  ];
  const metadata = new Metadata();
  if (details.length > 0) {
    const bytes = toBinary(StatusSchema, create(StatusSchema, { code: error.code, message: error.message, details }));
    metadata.set("grpc-status-details-bin", Buffer.from(bytes));
  }
  return { code: error.code, details: error.message, metadata };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
