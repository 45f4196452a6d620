import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from "node:net";
import { testCertificate, testKey } from "./certificates.ts";

/** Where "public" origins of the tests live: opened by an allow range with their port. */
export const originAddress = "127.0.0.2";

/** A listening server. */
export interface Listening {
  readonly port: number;
  /** Connections that were accepted. */
  readonly accepted: () => number;
  readonly sockets: ReadonlySet<Socket>;
  readonly close: () => Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export function startHttp(handler: Handler): Promise<Listening> {
  return listen(createHttp(handler), originAddress, 0);
}

export function startHttps(handler: Handler): Promise<Listening> {
  return listen(createHttps({ cert: testCertificate, key: testKey }, handler), originAddress, 0);
}

/** A server that speaks whatever the test makes it speak. */
export function startRaw(onConnection: (socket: Socket) => void): Promise<Listening> {
  return listen(createTcp({ allowHalfOpen: true }, onConnection), originAddress, 0);
}

/** Listens on 127.0.0.1 with the origin's port: whoever is fooled lands here. Undefined where that port is taken there. */
export async function startCanary(port: number): Promise<Listening | undefined> {
  try {
    return await listen(
      createTcp((socket) => socket.destroy()),
      "127.0.0.1",
      port,
    );
  } catch {
    return undefined;
  }
}

async function listen(server: Server, host: string, port: number): Promise<Listening> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(port, host, done);
  });
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
