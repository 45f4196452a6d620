import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** Where a call is held: before the engine hears of it, or after it has answered. */
export type Hold = { readonly call: RegExp; readonly at: "request" | "answer" };

/** Stands between a sidecar and its engine: passes bytes on, and holds chosen calls for ever, as an engine or a network would that stalls. */
export class EngineProxy implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "sp-proxy-"));
  readonly socket = join(this.folder, "engine.sock");
  readonly #upstream: string;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #server: Server | undefined;
  #hold: Hold | undefined;
  #held = Promise.withResolvers<void>();

  constructor(upstream = "/var/run/docker.sock") {
    this.#upstream = upstream;
  }

  get engineHost(): string {
    return `unix://${this.socket}`;
  }

  async listen(): Promise<void> {
    const server = createServer((client) => this.#accept(client));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.socket, resolve));
  }

  /** Listens on a port of the loopback, with TLS; returns the port. */
  async listenTls(options: TlsOptions): Promise<number> {
    const server = createTlsServer(options, (client) => this.#accept(client));
    this.#server = server;
    // Clients that are refused are not the proxy's fault.
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Holds the first call like that, and everything that comes after it on its connection. */
  hold(hold: Hold): void {
    this.#hold = hold;
    this.#held = Promise.withResolvers<void>();
  }

  /** Resolves when a call is held. */
  get held(): Promise<void> {
    return this.#held.promise;
  }

  /** Cuts every connection, those that are held too; holds nothing any more. */
  cut(): void {
    this.#hold = undefined;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #accept(client: Socket): void {
    const engine = connect(this.#upstream);
    const pair = [client, engine] as const;
    this.#pairs.add(pair);
    let asked = false;
    let holding = false;
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      from.on("end", () => to.end());
      from.on("data", (chunk: Buffer) => {
        if (from === client && this.#hold !== undefined && this.#hold.call.test(chunk.subarray(0, 400).toString())) {
          asked = true;
          holding ||= this.#hold.at === "request";
        } else if (from === engine && asked) holding ||= this.#hold?.at === "answer";
        if (!holding) to.write(chunk);
        else this.#held.resolve();
      });
    }
  }
}
