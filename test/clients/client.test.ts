import { afterEach, describe, expect, test } from "vitest";
import { createClient, type SallyportClient } from "../../src/clients/client/create-client.ts";
import type { ConnectionOptions } from "../../src/clients/client/connection.ts";
import { SallyportError } from "../../src/clients/client/sallyport-error.ts";
import { AuditService } from "../../src/gen/sallyport/v1/audit_pb.ts";
import { ExecService } from "../../src/gen/sallyport/v1/exec_pb.ts";
import { FilesService } from "../../src/gen/sallyport/v1/files_pb.ts";
import { SessionsService } from "../../src/gen/sallyport/v1/sessions_pb.ts";
import { eventually } from "./support/eventually.ts";
import { aborted, mount, startTestServer } from "./support/test-server.ts";
import { Problem } from "../../src/model/problem.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function connected(
  mounted: ReturnType<typeof mount>,
  options: Partial<ConnectionOptions> = {},
): Promise<SallyportClient> {
  const server = await startTestServer(mounted);
  cleanups.push(() => server.close());
  const client = createClient(
    options.address === "tcp" ? { ...options, address: server.address } : { socket: server.socket, ...options },
  );
  cleanups.push(() => client.close());
  return client;
}

async function failure(promise: Promise<unknown>): Promise<SallyportError> {
  const error: unknown = await promise.then(
    () => "no error",
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SallyportError)) throw new Error(`expected a SallyportError, got ${String(error)}`);
  return error;
}

async function drain(iterable: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of iterable);
}

describe("unary calls", () => {
  test("carry request and response, and the token as a bearer header, over the socket and over TCP", async () => {
    for (const options of [{}, { address: "tcp" }] as const) {
      const client = await connected(
        mount(SessionsService, {
          open: (request, { metadata }) => ({
            session: { id: "s1", workspace: request.workspace, agent: String(metadata("authorization")[0]) },
          }),
        }),
        { token: "sp_abc", ...options },
      );
      const { session } = await client.sessions.open({ workspace: "/w" });
      expect(session).toMatchObject({ id: "s1", workspace: "/w", agent: "Bearer sp_abc" });
    }
  });

  test("fail with code, message, denial and field decoded from the status details", async () => {
    const client = await connected(
      mount(SessionsService, {
        get: () => {
          throw new Problem("permission_denied", "refused", {
            denial: { effect: "run sudo", ruleId: "r1", source: "user", because: "no", missing: "", next: "ask" },
          });
        },
        close: () => {
          throw new Problem("invalid_argument", "session_id: is empty", { field: "session_id" });
        },
      }),
    );
    const denied = await failure(client.sessions.get({ sessionId: "x" }));
    expect(denied).toMatchObject({ code: "permission_denied", message: "refused", field: undefined });
    expect(denied.denial).toMatchObject({ effect: "run sudo", ruleId: "r1", next: "ask" });
    const invalid = await failure(client.sessions.close({ sessionId: "" }));
    expect(invalid).toMatchObject({ code: "invalid_argument", field: "session_id", denial: undefined });
    expect(await failure(client.sessions.list({}))).toMatchObject({ code: "unimplemented" });
  });

  test("end at their deadline and when their signal aborts, on the server too", async () => {
    const ended = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const client = await connected(
      mount(SessionsService, {
        async get(_request, { signal }) {
          entered.resolve();
          await aborted(signal);
          ended.resolve();
          return {};
        },
      }),
    );
    expect(await failure(client.sessions.get({}, { timeoutMs: 1 }))).toMatchObject({ code: "deadline_exceeded" });
    const controller = new AbortController();
    const call = failure(client.sessions.get({}, { signal: controller.signal }));
    await entered.promise;
    controller.abort();
    expect(await call).toMatchObject({ code: "cancelled" });
    await ended.promise;
    expect(await failure(client.sessions.get({}, { signal: controller.signal }))).toMatchObject({ code: "cancelled" });
  });

  test("fail as unavailable where nobody listens", async () => {
    const client = createClient({ socket: "/nonexistent/s.sock" });
    cleanups.push(() => client.close());
    expect(await failure(client.sessions.list({}))).toMatchObject({ code: "unavailable" });
    expect(await failure(client.ready(50))).toMatchObject({ code: "unavailable" });
  });
});

describe("streams", () => {
  test("leaving a server stream early cancels it on the server", async () => {
    const ended = Promise.withResolvers<string>();
    const client = await connected(
      mount(AuditService, {
        async *follow(_request, { signal }) {
          yield { record: { sequence: 1n } };
          await aborted(signal);
          ended.resolve("cancelled");
        },
      }),
    );
    for await (const { record } of client.audit.follow({})) {
      expect(record?.sequence).toBe(1n);
      break;
    }
    expect(await ended.promise).toBe("cancelled");
  });

  test("a server stream gives what came before an error, then the error", async () => {
    const client = await connected(
      mount(AuditService, {
        async *follow() {
          yield { record: { sequence: 1n } };
          throw new Problem("data_loss", "the record is damaged");
        },
      }),
    );
    const seen: bigint[] = [];
    const error = await failure(
      (async () => {
        for await (const { record } of client.audit.follow({})) seen.push(record?.sequence ?? 0n);
      })(),
    );
    expect(seen).toEqual([1n]);
    expect(error).toMatchObject({ code: "data_loss", message: "the record is damaged" });
  });

  test("a client stream carries everything and is half-closed", async () => {
    const client = await connected(
      mount(FilesService, {
        async write(requests) {
          let bytes = 0;
          for await (const { part } of requests) if (part.case === "data") bytes += part.value.length;
          return { bytes: BigInt(bytes) };
        },
      }),
    );
    async function* parts() {
      yield { part: { case: "start" as const, value: { path: "/a" } } };
      for (let count = 0; count < 100; count += 1)
        yield { part: { case: "data" as const, value: new Uint8Array(100_000) } };
    }
    expect((await client.files.write(parts())).bytes).toBe(10_000_000n);
  });

  test("a client stream carries large chunks of all sizes unmixed", async () => {
    const seen: string[] = [];
    const client = await connected(
      mount(FilesService, {
        async write(requests) {
          for await (const { part } of requests)
            if (part.case === "data") {
              const [first] = part.value;
              const same = part.value.every((byte) => byte === first);
              seen.push(same ? `${part.value.length} of ${first}` : "mixed");
            }
          return {};
        },
      }),
    );
    const sizes = [262_144, 65_536, 300_000, 200_000, 262_144, 100];
    async function* parts() {
      for (let at = 0; at < 60; at += 1)
        yield { part: { case: "data" as const, value: Buffer.alloc(sizes[at % sizes.length] ?? 0, at) } };
    }
    await client.files.write(parts());
    expect(seen).toEqual(Array.from({ length: 60 }, (_, at) => `${sizes[at % sizes.length]} of ${at}`));
  });

  test("a client stream whose source fails is cancelled and throws the source's error", async () => {
    const ended = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const client = await connected(
      mount(FilesService, {
        async write(_requests, { signal }) {
          entered.resolve();
          await aborted(signal);
          ended.resolve();
          return {};
        },
      }),
    );
    async function* broken() {
      yield { part: { case: "start" as const, value: { path: "/a" } } };
      await entered.promise;
      throw new Error("disk is gone");
    }
    await expect(client.files.write(broken())).rejects.toThrow("disk is gone");
    await ended.promise;
  });

  test("a stream of requests that is broken off never looks whole to the server", async () => {
    const ends: string[] = [];
    const client = await connected([
      ...mount(FilesService, {
        async write(requests) {
          await readAll(requests);
          return {};
        },
      }),
      ...mount(ExecService, {
        async *run(requests) {
          yield { event: { case: "started", value: { pid: 1 } } };
          await readAll(requests);
        },
      }),
    ]);
    let arrived = Promise.withResolvers<void>();
    async function readAll(requests: AsyncIterable<unknown>): Promise<void> {
      try {
        for await (const _ of requests) arrived.resolve();
        ends.push("came whole");
      } catch (error) {
        ends.push("broke off");
        throw error;
      }
    }
    const part = { part: { case: "data" as const, value: new Uint8Array(5) } };
    const controller = new AbortController();
    async function* abortedSource() {
      yield part;
      await arrived.promise;
      controller.abort();
      await new Promise(() => {});
    }
    expect(await failure(client.files.write(abortedSource(), { signal: controller.signal }))).toMatchObject({
      code: "cancelled",
    });
    async function* brokenSource() {
      yield part;
      await arrived.promise;
      throw new Error("disk is gone");
    }
    arrived = Promise.withResolvers();
    await expect(client.files.write(brokenSource())).rejects.toThrow("disk is gone");
    await eventually(() => ends.length).toBe(2);
    arrived = Promise.withResolvers();
    for await (const _ of client.exec({ command: { shell: "x" } })) {
      await arrived.promise;
      break;
    }
    await eventually(() => ends.length).toBe(3);
    expect(ends).toEqual(["broke off", "broke off", "broke off"]);
  });

  test("a client stream stops pulling its source when the server refuses early", async () => {
    let closed = false;
    const client = await connected(
      mount(FilesService, {
        async write() {
          throw new Problem("permission_denied", "refused");
        },
      }),
    );
    async function* endless() {
      try {
        for (;;) yield { part: { case: "data" as const, value: new Uint8Array(65536) } };
      } finally {
        closed = true;
      }
    }
    expect(await failure(client.files.write(endless()))).toMatchObject({ code: "permission_denied" });
    await eventually(() => closed).toBe(true);
  });
});

describe("exec", () => {
  test("gives every event, sends stdin in order and closes it, on one call", async () => {
    const client = await connected(
      mount(ExecService, {
        async *run(requests) {
          for await (const { step } of requests) {
            if (step.case === "start") yield { event: { case: "started", value: { pid: 7, entryId: "e" } } };
            else if (step.case === "stdin") yield { event: { case: "stdout", value: step.value } };
            else if (step.case === "closeStdin") break;
            else yield { event: { case: "stderr", value: new TextEncoder().encode(`${step.case ?? ""}\n`) } };
          }
          yield {
            event: { case: "exit", value: { status: { case: "code", value: 3 }, durationMs: 5n, truncated: true } },
          };
        },
      }),
    );
    const call = client.exec({ command: { argv: ["cat"] }, stdin: true });
    const big = new Uint8Array(700_000).fill(7);
    const writing = (async () => {
      call.signal(2);
      call.resize({ columns: 10, rows: 5 });
      await call.writeStdin(big);
      call.closeStdin();
    })();
    let stdout = 0;
    let stderr = "";
    const kinds: string[] = [];
    for await (const event of call) {
      if (kinds.at(-1) !== event.kind) kinds.push(event.kind);
      if (event.kind === "stdout") stdout += event.data.length;
      if (event.kind === "stderr") stderr += Buffer.from(event.data).toString();
      if (event.kind === "exit")
        expect(event).toMatchObject({ code: 3, signal: undefined, truncated: true, durationMs: 5 });
    }
    await writing;
    expect(kinds).toEqual(["started", "stderr", "stdout", "exit"]);
    expect(stdout).toBe(big.length);
    expect(stderr).toBe("signal\nresize\n");
    expect(await call.writeStdin(new Uint8Array(1))).toBe(false);
  });

  test("leaving the loop kills the command; a stream without exit is an error", async () => {
    const ended = Promise.withResolvers<void>();
    const client = await connected(
      mount(ExecService, {
        async *run(requests, { signal }) {
          yield { event: { case: "started", value: { pid: 1 } } };
          try {
            for await (const { step } of requests) if (step.case === "start" && step.value.cwd === "/short") return;
            await aborted(signal);
          } finally {
            ended.resolve();
          }
        },
      }),
    );
    for await (const event of client.exec({ command: { shell: "sleep 99" } })) {
      expect(event.kind).toBe("started");
      break;
    }
    await ended.promise;
    const short = client.exec({ command: { shell: "x" }, cwd: "/short" });
    expect(await failure(drain(short))).toMatchObject({ code: "data_loss" });
  });

  test("a slow reader slows the sender", async () => {
    let sent = 0;
    let stalledAt = -1;
    const client = await connected(
      mount(ExecService, {
        async *run() {
          for (let count = 0; count < 2000; count += 1) {
            sent += 1;
            yield { event: { case: "stdout", value: new Uint8Array(65536) } };
          }
          yield { event: { case: "exit", value: { status: { case: "code", value: 0 } } } };
        },
      }),
    );
    let frames = 0;
    for await (const event of client.exec({ command: { shell: "yes" } })) {
      if (event.kind !== "stdout") continue;
      frames += 1;
      if (frames > 1) continue;
      // Wait until the sender made no progress over several turns of this loop.
      while (stalledAt !== sent) {
        stalledAt = sent;
        await new Promise((go) => setTimeout(go, 200));
      }
    }
    expect(frames).toBe(2000);
    expect(stalledAt).toBeLessThan(500);
  });
});

describe("options", () => {
  test.each<[ConnectionOptions, string]>([
    [{}, "socket"],
    [{ socket: "/a", address: "localhost:1" }, "address"],
    [{ socket: `/${"a".repeat(120)}` }, "socket"],
    [{ address: "no-port" }, "address"],
    [{ address: "localhost:0" }, "address"],
    [{ address: "unix:///etc/x" }, "address"],
    [{ address: "[zz]:80" }, "address"],
    [{ socket: "/a", token: "two\nlines" }, "token"],
    [{ address: "localhost:1", tls: { cert: new Uint8Array(1) } }, "tls"],
    [
      { address: "localhost:1", tls: { ca: new Uint8Array(1), cert: new Uint8Array(1), key: new Uint8Array(1) } },
      "tls",
    ],
  ])("%j is refused naming %s", (options, field) => {
    expect(() => createClient(options)).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });
});
