import { copyFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import type { Socket } from "node:net";
import { containerOptions } from "../../src/sandbox/container-options.ts";
import { openOneShotSocket } from "../../src/sandbox/one-shot-socket.ts";
import { FrameDecoder } from "../../src/wire/frame-decoder.ts";
import type { Frame } from "../../src/wire/frame.ts";
import { busyboxImage, docker, initPath, owner } from "../sandbox/engine.ts";
import { Bench } from "../sandbox/harness.ts";

/** Init in a container of its own, and its bare stream in the test's hands. */
export class RawInit implements AsyncDisposable {
  readonly #bench: Bench;
  readonly #socket: Socket;
  readonly #frames: Frame[] = [];
  readonly #ended: Promise<void>;
  #arrived = Promise.withResolvers<void>();
  readonly containerId: string;

  private constructor(bench: Bench, socket: Socket, containerId: string) {
    this.#bench = bench;
    this.#socket = socket;
    this.containerId = containerId;
    const decoder = new FrameDecoder((frame) => this.#frames.push(frame));
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.promise;
    socket.on("data", (chunk: Buffer) => {
      decoder.push(chunk);
      this.#arrived.resolve();
      this.#arrived = Promise.withResolvers();
    });
    socket.on("error", () => {});
    socket.on("close", ended.resolve);
    socket.resume();
  }

  static async start(): Promise<RawInit> {
    const bench = new Bench();
    const init = join(bench.runtimeFolder, "init");
    copyFileSync(initPath, init);
    chmodSync(init, 0o755);
    const socket = await openOneShotSocket(bench.runtimeFolder);
    const options = containerOptions(bench.spec({ image: busyboxImage }), {
      plan: { mounts: [], user: owner },
      traits: { kind: "docker", rootless: false, remapped: false, ociRuntime: undefined },
      user: { ...owner, usernsMode: "" },
      imageVolumes: [],
      owner: bench.owner,
      instance: "raw",
      init: { kind: "shared", init, socket: socket.path, accounts: { passwd: "/dev/null", group: "/dev/null" } },
    });
    const container = await docker.createContainer(options);
    await container.start();
    const accepted = await socket.accepted;
    await socket.close();
    const raw = new RawInit(bench, accepted, container.id);
    const hello = await raw.next();
    if (hello.kind !== "hello") throw new Error(`a ${hello.kind} before the hello`);
    return raw;
  }

  send(...bytes: Uint8Array[]): void {
    this.#socket.write(Buffer.concat(bytes));
  }

  /** Ends the sidecar's side of the stream. */
  hangUp(): void {
    this.#socket.end();
  }

  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) return frame;
      await Promise.race([
        this.#arrived.promise,
        this.#ended.then(() => Promise.reject(new Error("init ended the stream"))),
      ]);
    }
  }

  /** All frames up to the first of that kind. */
  async until(kind: Frame["kind"]): Promise<Frame[]> {
    const frames = [];
    for (;;) {
      const frame = await this.next();
      frames.push(frame);
      if (frame.kind === kind) return frames;
    }
  }

  /** Resolves when init is gone, and its container. */
  async gone(): Promise<void> {
    await this.#ended;
    await docker
      .getContainer(this.containerId)
      .wait({ condition: "removed" })
      .catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.gone();
    await this.#bench[Symbol.asyncDispose]();
  }
}
