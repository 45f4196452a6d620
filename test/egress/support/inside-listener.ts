import { createServer, type AddressInfo, type Socket } from "node:net";
import type { SessionId } from "../../../src/model/ids.ts";
import type { InsideConnection } from "../../../src/model/runtime.ts";

/** A TCP socket as a runtime hands it over: what a process in a sandbox would have opened. */
export function insideConnection(socket: Socket, session: SessionId): InsideConnection {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let reading: Promise<unknown> = Promise.resolve();
  socket.on("error", () => undefined);
  return {
    session,
    read: async () => {
      const next = chunks.next();
      reading = next;
      const { done, value } = await next;
      return done === true ? undefined : value;
    },
    write: (data) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      socket.write(data, (error) => (error ? reject(error) : resolve()));
      return promise;
    },
    end: () => void socket.end(),
    destroy: () => {
      void reading;
      socket.destroy();
    },
  };
}

/** Listens on loopback and hands every connection over as one from inside. */
export async function listenInside(
  session: SessionId,
  accept: (connection: InsideConnection) => void,
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    accept(insideConnection(socket, session));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
