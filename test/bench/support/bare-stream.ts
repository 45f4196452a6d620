import { once } from "node:events";
import {
  Client,
  credentials,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import { letHeapGrow } from "../../../src/wiring/stream-memory.ts";

const path = "/bench.Bare/Stream";
const same = (bytes: Buffer): Buffer => bytes;

/** The settings that Sallyport's own server and client have: the ceiling is that of the library under the same conditions. */
const settings = {
  "grpc-node.flow_control_window": 1024 * 1024,
  "grpc.max_receive_message_length": 16 * 1024 * 1024,
  "grpc.enable_channelz": 0,
};

/** Bytes through nothing but grpc-js, whose server is another process. */
export interface BareStream {
  /** Bytes that the server sends and the client takes. */
  readonly down: (bytes: number, chunk: number) => Promise<void>;
  /** Bytes that the client sends and the server takes. */
  readonly up: (bytes: number, chunk: number) => Promise<void>;
  /** One small request and one small answer. */
  readonly unary: () => Promise<void>;
  readonly close: () => void;
}

/** Connects to a server of {@link serveBare}. */
export function connectBare(socket: string): BareStream {
  const client = new Client(`unix:${socket}`, credentials.createInsecure(), settings);
  return {
    async down(bytes, chunk) {
      const call = client.makeServerStreamRequest(path, same, same, Buffer.from(`${bytes} ${chunk}`));
      call.on("data", () => {});
      await once(call, "end");
    },
    async up(bytes, chunk) {
      const data = Buffer.alloc(chunk, "x");
      const answer = Promise.withResolvers<void>();
      const call = client.makeClientStreamRequest(`${path}Up`, same, same, (error) =>
        error === null ? answer.resolve() : answer.reject(error),
      );
      for (let sent = 0; sent < bytes; sent += chunk) if (!call.write(data)) await once(call, "drain");
      call.end();
      await answer.promise;
    },
    unary: () =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(`${path}One`, same, same, Buffer.alloc(64), (error) =>
          error === null ? resolve() : reject(error),
        );
      }),
    close: () => client.close(),
  };
}

async function serveBare(socket: string): Promise<void> {
  const server = new Server(settings);
  const down = (call: ServerWritableStream<Buffer, Buffer>): void => void send(call);
  const up = (call: ServerReadableStream<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void => {
    call.on("data", () => {});
    call.on("end", () => reply(null, Buffer.alloc(0)));
  };
  server.register(path, down, same, same, "serverStream");
  server.register(`${path}Up`, up, same, same, "clientStream");
  const one = (_call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void =>
    reply(null, Buffer.alloc(64));
  server.register(`${path}One`, one, same, same, "unary");
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    ),
  );
}

async function send(call: ServerWritableStream<Buffer, Buffer>): Promise<void> {
  const [bytes = 0, chunk = 1] = call.request.toString().split(" ").map(Number);
  const data = Buffer.alloc(chunk, "x");
  for (let sent = 0; sent < bytes; sent += chunk) if (!call.write(data)) await once(call, "drain");
  call.end();
}

// Forked, it is the server.
const [, script, socket] = process.argv;
if (script === import.meta.filename && socket !== undefined) {
  letHeapGrow();
  await serveBare(socket);
  process.send?.("listening");
}
