import { once } from "node:events";
import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { FilesService, type ReadResponse } from "../../src/gen/sallyport/v1/files_pb.ts";
import { roomBytes, roomyBytes } from "../../src/model/roomy-bytes.ts";
import { sendAll } from "../../src/server/glue/send-all.ts";
import { serverStream } from "../../src/server/glue/route.ts";
import { openDoor } from "../../src/server/glue/wiring.ts";
import { completeRoutes } from "../../src/server/routes.ts";
import { collect, openServerStream } from "./call.ts";
import { openClient, openServer } from "./open-server.ts";
import { until } from "./until.ts";

const { read } = FilesService.method;
const chunkBytes = 100_000;

/** Chunks of one byte each, numbered, in buffers that are overwritten as soon as they are given back. */
function pool() {
  const spare: ArrayBuffer[] = [];
  const state = { out: 0, most: 0 };
  return {
    state,
    chunk(fill: number) {
      const buffer = spare.pop() ?? new ArrayBuffer(roomBytes + chunkBytes);
      const chunk = roomyBytes(buffer, chunkBytes);
      chunk.fill(fill);
      state.out += 1;
      state.most = Math.max(state.most, state.out);
      chunk.giveBack = () => {
        state.out -= 1;
        new Uint8Array(buffer).fill(0xee);
        spare.push(buffer);
      };
      return { part: { case: "data" as const, value: chunk } };
    },
  };
}

const trailer = { part: { case: "trailer" as const, value: { lines: 7n } } };
const header = { part: { case: "header" as const, value: { encoding: "utf-8" } } };

function shown({ part }: ReadResponse): string {
  if (part.case !== "data") return String(part.case);
  const [first = -1] = part.value;
  return part.value.length === chunkBytes && part.value.every((byte) => byte === first) ? `${first}` : "mixed";
}

describe("chunks with room", () => {
  it.each([true, false])("arrive whole and in order among other messages, a first one: %s", async (withHeader) => {
    const buffers = pool();
    const { socket } = await openServer(
      completeRoutes([
        serverStream(openDoor, read, async function* () {
          if (withHeader) yield header;
          for (let at = 0; at < 60; at += 1) {
            yield buffers.chunk(at);
            if (at % 7 === 0) yield trailer;
          }
          yield trailer;
        }),
      ]),
    );
    const expected = Array.from({ length: 60 }, (_, at) => (at % 7 === 0 ? [`${at}`, "trailer"] : [`${at}`])).flat();
    const parts = await collect(openServerStream(openClient(socket), read, {}));
    expect(parts.map(shown)).toEqual([...(withHeader ? ["header"] : []), ...expected, "trailer"]);
    // What waits for the client is bounded, and its buffers are used again. The first message goes through grpc-js, which keeps its buffer.
    expect(buffers.state.out).toBeLessThanOrEqual(1);
    expect(buffers.state.most).toBeLessThanOrEqual(4);
  });

  it("are no more than two ahead of a client that does not read", async () => {
    const buffers = pool();
    const taken = Promise.withResolvers<void>();
    const { socket } = await openServer(
      completeRoutes([
        serverStream(openDoor, read, async function* () {
          yield header;
          // A window of HTTP/2 is 64 KiB unless the client says otherwise.
          for (let at = 0; at < 200; at += 1) {
            yield buffers.chunk(at);
            if (at === 3) taken.resolve();
          }
        }),
      ]),
    );
    const stream = openServerStream(openClient(socket), read, {});
    stream.pause();
    stream.once("error", () => {});
    await once(stream, "metadata");
    await until(() => buffers.state.out === 2);
    expect(buffers.state.most).toBeLessThanOrEqual(2);
    stream.resume();
    await taken.promise;
    const parts = await collect(stream);
    expect(parts.every((part) => part.part.case === "data" || part.part.case === "header")).toBe(true);
  });

  it.each(["cancel", "deadline"] as const)(
    "stop where the reader ends it by its %s, and nothing breaks",
    async (how) => {
      const buffers = pool();
      const ended = Promise.withResolvers<void>();
      const { socket, lines } = await openServer(
        completeRoutes([
          serverStream(openDoor, read, async function* () {
            try {
              yield header;
              for (let at = 0; ; at += 1) yield buffers.chunk(at % 250);
            } finally {
              ended.resolve();
            }
          }),
        ]),
      );
      const client = openClient(socket);
      const options = how === "deadline" ? { deadline: Date.now() + 300 } : {};
      const stream = openServerStream(client, read, {}, undefined, options);
      const failure = new Promise<number>((resolve) => {
        stream.once("error", (error: Error & { code: number }) => resolve(error.code));
      });
      let got = 0;
      stream.on("data", () => {
        got += 1;
        if (how === "cancel" && got === 20) stream.cancel();
      });
      expect(await failure).toBe(how === "cancel" ? status.CANCELLED : status.DEADLINE_EXCEEDED);
      await ended.promise;
      expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    },
  );

  it("go through grpc-js where its stream is not found", async () => {
    const written: Buffer[] = [];
    const call = {
      sendMetadata: () => {},
      write(message: Buffer, done: () => void) {
        written.push(Buffer.from(message));
        setImmediate(done);
        return false;
      },
      end: () => undefined,
    };
    async function* answers() {
      yield roomyBytes(new ArrayBuffer(roomBytes + 3), 3);
      yield roomyBytes(new ArrayBuffer(roomBytes + 2), 2);
    }
    const { signal } = new AbortController();
    await sendAll(
      call,
      answers(),
      (roomy) => ({ bytes: Buffer.from(roomy), roomy }),
      signal,
      () => {},
    );
    expect(written.map(({ length }) => length)).toEqual([3, 2]);
  });
});
