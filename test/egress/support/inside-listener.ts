import { createServer, type AddressInfo, type Socket } from "node:net";
import type { SessionId } from "../../../src/model/ids.ts";
import type { InsideConnection } from "../../../src/model/runtime.ts";

/** Bytes that wait for a reader before the sender has to wait. */
const window = 262_144;

/** A TCP socket as a runtime hands it over: what a process in a sandbox would have opened. Like a runtime's, it has pieces ready, up to a window. */
export function insideConnection(socket: Socket, session: SessionId): InsideConnection {
  const ready: Buffer[] = [];
  let bytes = 0;
  let over: { readonly error: Error | undefined } | undefined;
  let wake = (): void => undefined;
  const end = (error?: Error): void => {
    over ??= { error };
    wake();
  };
  socket.on("data", (data: Buffer) => {
    ready.push(data);
    bytes += data.length;
    if (bytes >= window) socket.pause();
    wake();
  });
  socket.on("error", end);
  socket.once("end", end);
  socket.once("close", () => end(new Error("closed")));
  const next = (): Buffer | undefined => {
    const data = ready.shift();
    bytes -= data?.length ?? 0;
    if (socket.isPaused() && bytes < window / 2) socket.resume();
    return data;
  };
  return {
    session,
    read: async () => {
      if (ready.length === 0 && over === undefined) await new Promise<void>((resolve) => (wake = resolve));
      const data = next();
      if (data === undefined && over?.error !== undefined) throw over.error;
      return data;
    },
    write: (data) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      socket.write(data, (error) => (error ? reject(error) : resolve()));
      return promise;
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
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
