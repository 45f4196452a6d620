import type { Socket } from "node:net";
import type { Lab } from "./lab.ts";
import { type Listening, startRaw } from "./servers.ts";

/** What a server does with the first bytes of each connection: a text it answers with and hangs up, or anything else. */
export type Answer = string | ((socket: Socket, first: string) => void);

/** A server that answers so. The lab may reach it at `place`. */
export async function startAnswering(lab: Lab, answer: Answer): Promise<Listening & { readonly place: string }> {
  const server = await startRaw((socket) => {
    socket.once("data", (bytes: Buffer) =>
      typeof answer === "string" ? void socket.end(answer, "latin1") : answer(socket, bytes.toString("latin1")),
    );
  });
  lab.open(server.port);
  return { ...server, place: `ok.test:${server.port}` };
}
