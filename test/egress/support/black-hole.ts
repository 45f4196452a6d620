import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A place where connections are never answered. */
export interface BlackHole {
  readonly port: number;
  close(): void;
}

/** Listens, lets its queue fill up, and takes nothing: the kernel drops every further SYN (listen(2), tcp(7)). */
const script = `
import socket, sys
server = socket.socket()
server.bind((sys.argv[1], 0))
server.listen(0)
held = []
while True:
    client = socket.socket()
    client.settimeout(0.5)
    held.append(client)
    try:
        client.connect(server.getsockname())
    except TimeoutError:
        break
print(server.getsockname()[1], flush=True)
sys.stdin.read()
`;

/** Opens one on a loopback address. */
export async function openBlackHole(address: string): Promise<BlackHole> {
  const child = spawn("python3", ["-c", script, address], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { port: Number(line), close: () => void child.stdin.end() };
}
