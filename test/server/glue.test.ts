import { connect } from "node:http2";
import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { AgentsService } from "../../src/gen/sallyport/v1/agents_pb.ts";
import { ExecService } from "../../src/gen/sallyport/v1/exec_pb.ts";
import { FilesService } from "../../src/gen/sallyport/v1/files_pb.ts";
import { SessionsService } from "../../src/gen/sallyport/v1/sessions_pb.ts";
import { invalid, Problem } from "../../src/model/problem.ts";
import type { OpenContext } from "../../src/server/glue/call-context.ts";
import { bidi, clientStream, serverStream, unary } from "../../src/server/glue/route.ts";
import { openDoor, provenDoor } from "../../src/server/glue/wiring.ts";
import { completeRoutes } from "../../src/server/routes.ts";
import {
  bearer,
  callRaw,
  callUnary,
  collect,
  failureOf,
  openBidi,
  openClientStream,
  openServerStream,
} from "./call.ts";
import { openClient, openServer } from "./open-server.ts";
import { until } from "./until.ts";

const { get, list } = SessionsService.method;
const { read, write } = FilesService.method;
const { run } = ExecService.method;

function connectTo(address: string): Socket {
  return connectSocket({ path: address.slice("unix:".length) });
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

describe("a call", () => {
  it("works in all four shapes", async () => {
    const { socket } = await openServer(
      completeRoutes([
        unary(openDoor, get, ({ sessionId }) => Promise.resolve({ session: { id: `<${sessionId}>` } })),
        serverStream(openDoor, read, async function* ({ path }) {
          for (const letter of path) yield { part: { case: "data" as const, value: Buffer.from(letter) } };
        }),
        clientStream(openDoor, write, async (requests) => {
          let bytes = 0n;
          for await (const { part } of requests) if (part.case === "data") bytes += BigInt(part.value.length);
          return { bytes };
        }),
        bidi(openDoor, run, async function* (requests) {
          for await (const { step } of requests)
            if (step.case === "stdin") yield { event: { case: "stdout" as const, value: step.value } };
        }),
      ]),
    );
    const client = openClient(socket);
    expect(await callUnary(client, get, { sessionId: "a" })).toMatchObject({ session: { id: "<a>" } });
    const parts = await collect(openServerStream(client, read, { path: "abc" }));
    expect(parts.map(({ part }) => (part.case === "data" ? Buffer.from(part.value).toString() : ""))).toEqual([
      "a",
      "b",
      "c",
    ]);
    const { stream, answer } = openClientStream(client, write);
    stream.write({ part: { case: "data", value: Buffer.alloc(10) } });
    stream.write({ part: { case: "data", value: Buffer.alloc(5) } });
    stream.end();
    expect(await answer).toMatchObject({ bytes: 15n });
    const both = openBidi(client, run);
    const echoes = collect(both);
    // Answers come while requests are still open.
    both.write({ step: { case: "stdin", value: Buffer.from("1") } });
    await once(both, "data");
    both.write({ step: { case: "stdin", value: Buffer.from("2") } });
    both.end();
    expect(await echoes).toHaveLength(2);
  });

  it.each([
    ["bytes that are no message", Buffer.from([0xff, 0xff, 0xff])],
    ["a field that ends early", Buffer.from([0x0a, 0x05, 0x61])],
    ["text that is not UTF-8", Buffer.from([0x0a, 0x02, 0xc3, 0x28])],
    ["half of a surrogate pair in UTF-8", Buffer.from([0x0a, 0x03, 0xed, 0xa0, 0x80])],
    ["groups in groups without end", Buffer.alloc(100_000, 0x1b)],
    ["an endless varint", Buffer.alloc(64, 0xff)],
  ])("is refused as the caller's fault with %s", async (_name, bytes) => {
    const { socket, lines } = await openServer(
      completeRoutes([
        unary(openDoor, get, () => Promise.resolve({})),
        bidi(openDoor, run, async function* (requests) {
          for await (const request of requests)
            yield { event: { case: "stdout" as const, value: Buffer.from(request.$typeName) } };
        }),
      ]),
    );
    const client = openClient(socket);
    expect(await failureOf(callRaw(client, "/sallyport.v1.SessionsService/Get", bytes))).toMatchObject({
      code: "INVALID_ARGUMENT",
      details: "the request is no valid sallyport.v1.SessionsServiceGetRequest (wire format or UTF-8)",
    });
    const stream = client.makeBidiStreamRequest(
      "/sallyport.v1.ExecService/Run",
      (same: Buffer) => same,
      (same) => same,
    );
    const failure = failureOf(collect(stream));
    stream.write(bytes);
    expect(await failure).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it("is refused when its message is too large, and the server goes on", async () => {
    const { socket } = await openServer(completeRoutes([unary(openDoor, get, () => Promise.resolve({}))]));
    const client = openClient(socket);
    expect(await failureOf(callUnary(client, get, { sessionId: "x".repeat(6 * 1024 * 1024) }))).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
    });
    await callUnary(client, get, {});
  });

  it("keeps its cause to the log where the fault is inside", async () => {
    const { socket, lines } = await openServer(
      completeRoutes([
        unary(openDoor, get, () => Promise.reject(new TypeError("secret thing at /home/me"))),
        unary(openDoor, list, () => Promise.reject(new Problem("internal", "forged permit"))),
      ]),
    );
    const client = openClient(socket);
    for (const failing of [callUnary(client, get, {}), callUnary(client, list, {})]) {
      const { code, details } = await failureOf(failing);
      expect({ code, details }).toEqual({
        code: "INTERNAL",
        details: expect.stringMatching(/^internal error, reference [0-9a-f]{12}$/),
      });
      const reference = details.slice(-12);
      expect(lines.filter((line) => line.includes(reference))).toEqual([
        expect.stringMatching(/secret thing|forged permit/),
      ]);
    }
  });

  it("carries the field of bad input as a detail, cut and well-formed however long it is", async () => {
    const { socket } = await openServer(
      completeRoutes([
        unary(openDoor, get, () =>
          Promise.reject(invalid("a.b", `${"x".repeat(1016)}\u{1f600}${"y".repeat(100_000)}\ud800`)),
        ),
      ]),
    );
    const { code, details, detail } = await failureOf(callUnary(openClient(socket), get, {}));
    expect(code).toBe("INVALID_ARGUMENT");
    expect(details.isWellFormed()).toBe(true);
    expect(details.length).toBeLessThanOrEqual(1024);
    expect(detail?.typeUrl).toBe("type.googleapis.com/sallyport.v1.FieldViolation");
  });

  it("lets a message hold what is hard to put into a header", async () => {
    const text = "ü\n%41 \u{1f600}";
    const { socket } = await openServer(
      completeRoutes([unary(openDoor, get, () => Promise.reject(new Problem("not_found", text)))]),
    );
    expect(await failureOf(callUnary(openClient(socket), get, {}))).toMatchObject({ code: "NOT_FOUND", details: text });
  });

  it("tells its handler of cancellation, with the reason", async () => {
    const seen: unknown[] = [];
    const wait = async ({ signal }: OpenContext): Promise<never> => {
      seen.push("waits");
      try {
        return await never(signal);
      } catch (reason) {
        seen.push(reason instanceof Problem ? reason.code : reason);
        throw reason;
      }
    };
    const { socket } = await openServer(
      completeRoutes([
        unary(openDoor, get, (_request, context) => wait(context)),
        serverStream(openDoor, read, async function* (_request, context) {
          yield await wait(context);
        }),
      ]),
    );
    const client = openClient(socket);
    const stream = openServerStream(client, read, {});
    stream.on("error", () => {});
    await until(() => seen.length === 1);
    stream.cancel();
    await until(() => seen.length === 2);
    expect(await failureOf(callUnary(client, get, {}, undefined, { deadline: Date.now() + 50 }))).toMatchObject({
      code: "DEADLINE_EXCEEDED",
    });
    await until(() => seen.length === 4);
    expect(seen.slice(0, 3)).toEqual(["waits", "cancelled", "waits"]);
    // The client cancels when its own clock says so, which may be first.
    expect(["cancelled", "deadline_exceeded"]).toContain(seen[3]);
  });

  it("ends a handler that is in the middle of sending when its reader leaves", async () => {
    const ended = Promise.withResolvers<void>();
    const { socket } = await openServer(
      completeRoutes([
        serverStream(openDoor, read, async function* () {
          try {
            for (;;) yield { part: { case: "data" as const, value: Buffer.alloc(65_536) } };
          } finally {
            ended.resolve();
          }
        }),
      ]),
    );
    const stream = openServerStream(openClient(socket), read, {});
    stream.on("error", () => {});
    await once(stream, "data");
    stream.pause();
    stream.cancel();
    await ended.promise;
  });

  it("sees the deadline of a reader that does not read", async () => {
    const ended = Promise.withResolvers<unknown>();
    const { socket } = await openServer(
      completeRoutes([
        serverStream(openDoor, read, async function* (_request, { signal }) {
          try {
            for (;;) yield { part: { case: "data" as const, value: Buffer.alloc(65_536) } };
          } finally {
            ended.resolve(signal.reason);
          }
        }),
      ]),
    );
    // By hand: the client of grpc-js would cancel by itself.
    const session = connect("http://localhost", { createConnection: () => connectTo(socket) });
    const stream = session.request({
      ":method": "POST",
      ":path": "/sallyport.v1.FilesService/Read",
      "content-type": "application/grpc",
      te: "trailers",
      "grpc-timeout": "200m",
    });
    stream.end(Buffer.alloc(5));
    expect(await ended.promise).toMatchObject({ code: "deadline_exceeded" });
    session.destroy();
  });

  it("does not see its signal abort after it ended well", async () => {
    let kept: AbortSignal | undefined;
    const { socket } = await openServer(
      completeRoutes([
        unary(openDoor, get, (_request, { signal }) => {
          kept = signal;
          return Promise.resolve({});
        }),
      ]),
    );
    const client = openClient(socket);
    await callUnary(client, get, {}, undefined, { deadline: Date.now() + 3_600_000 });
    client.close();
    await callUnary(openClient(socket), get, {});
    expect(kept?.aborted).toBe(false);
  });

  it("gets its metadata; half of a surrogate pair in an answer is replaced, and what no message can hold is a fault inside", async () => {
    const { socket } = await openServer(
      completeRoutes([
        unary(openDoor, get, (_request, { metadata }) =>
          Promise.resolve({ session: { id: metadata("authorization").join() } }),
        ),
        unary(openDoor, list, () => Promise.resolve({ sessions: [{ id: "\ud800" }] })),
        unary(openDoor, AgentsService.method.list, () => Promise.resolve({ agents: [{ tokens: 2 ** 40 }] })),
      ]),
    );
    const client = openClient(socket);
    expect(await callUnary(client, get, {}, bearer("t"))).toMatchObject({ session: { id: "Bearer t" } });
    expect(await callUnary(client, list, {})).toMatchObject({ sessions: [{ id: "\ufffd" }] });
    expect(await failureOf(callUnary(client, AgentsService.method.list, {}))).toMatchObject({ code: "INTERNAL" });
  });
});

describe("what is not built", () => {
  it("answers UNIMPLEMENTED by its own name in every shape, to proven callers only", async () => {
    const { socket, tcp } = await openServer(completeRoutes([]));
    const client = openClient(socket);
    const all = [
      [callUnary(client, AgentsService.method.list, {}), "sallyport.v1.AgentsService.List"],
      [collect(openServerStream(client, read, {})), "sallyport.v1.FilesService.Read"],
      [openClientStream(client, write).answer, "sallyport.v1.FilesService.Write"],
      [collect(openBidi(client, run)), "sallyport.v1.ExecService.Run"],
    ] as const;
    for (const [call, name] of all)
      expect(await failureOf(call)).toMatchObject({ code: "UNIMPLEMENTED", details: `${name} is not built yet` });
    expect(await failureOf(callUnary(openClient(tcp), AgentsService.method.list, {}))).toMatchObject({
      code: "UNAUTHENTICATED",
    });
    expect(await failureOf(callRaw(client, "/sallyport.v1.ExecService/Nothing", Buffer.alloc(0)))).toMatchObject({
      code: status[status.UNIMPLEMENTED],
    });
  });
});

describe("the doors", () => {
  it("run before the handler", async () => {
    let ran = false;
    const { tcp } = await openServer(
      completeRoutes([
        unary(provenDoor, get, () => {
          ran = true;
          return Promise.resolve({});
        }),
      ]),
    );
    expect(await failureOf(callUnary(openClient(tcp), get, {}))).toMatchObject({ code: "UNAUTHENTICATED" });
    expect(ran).toBe(false);
  });
});
