import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Way } from "./egress-asks.ts";

/** Starts tinyproxy with its configuration in `folder`, and adds it to `children`. Undefined where it is not installed. */
export async function startTinyproxy(children: ChildProcess[], folder: string): Promise<Way["proxy"]> {
  if (spawnSync("tinyproxy", ["-v"]).status !== 0) return undefined;
  const port = await freePort();
  const file = join(folder, "tinyproxy.conf");
  writeFileSync(
    file,
    `Port ${port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 1000\nLogLevel Critical\nAllow 127.0.0.1\n`,
  );
  const child = spawn("tinyproxy", ["-d", "-c", file], { stdio: "ignore" });
  children.push(child);
  while (!(await isOpen(port)));
  return { port, pid: child.pid ?? 0 };
}

function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
