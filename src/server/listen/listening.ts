import type { AddressInfo, ListenOptions, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { Problem } from "../../model/problem.ts";

/** An open listener. */
export interface Listening {
  /** As clients write it: `unix:/path` or `127.0.0.1:50051`. */
  readonly address: string;
  /** Stops accepting; resolves when the connections that are open have ended. */
  stopAccepting(): Promise<void>;
  /** Gives back what the listener holds, such as its lock. Called last. */
  release(): void;
}

/** Connections at once on one listener; each may carry many calls. */
const maxConnections = 256;

/** Opens a listener that hands its connections over. @throws Problem `failed_precondition` where the address cannot be had. */
export async function listenAt(
  options: ListenOptions,
  shown: string,
  accept: (socket: Socket) => void,
  around: (listen: () => void) => void = (listen) => listen(),
): Promise<Server> {
  const server = createServer(accept);
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(notHad(`cannot listen on ${shown}`, cause)));
    around(() => server.listen(options, resolve));
  });
  // A failed accept (no file descriptors left) must not end the process.
  server.removeAllListeners("error");
  server.on("error", () => {});
  return server;
}

/** That an address cannot be had, and why: most often another Sallyport has it. Errors of listen(2) and bind(2). */
export function notHad(what: string, cause: NodeJS.ErrnoException): Problem {
  const whys: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program has this address",
    EACCES: "this user may not take it",
    EADDRNOTAVAIL: "this machine has no such address",
  };
  const why = whys[cause.code ?? ""];
  return new Problem("failed_precondition", why === undefined ? what : `${what}: ${why}`, { cause });
}

/** Closes a listener; resolves when its last connection has ended. */
export function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** The port that a TCP listener got. */
export function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return address === null || typeof address === "string" ? 0 : address.port;
}
