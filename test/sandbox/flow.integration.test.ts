import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InsideConnection } from "../../src/model/runtime.ts";
import type { WarmSandbox } from "../../src/sandbox/warm-sandbox.ts";
import { ensureEngine } from "./engine.ts";
import { Bench, finish, run, spawn, waitFor } from "./harness.ts";

const mebibyte = 1024 * 1024;
let bench: Bench;
let sandbox: WarmSandbox;
beforeAll(async () => {
  await ensureEngine();
  bench = new Bench({ outputBytes: 4 * 1024 * mebibyte });
  sandbox = await bench.open();
});
afterAll(() => bench[Symbol.asyncDispose]());

describe("output", () => {
  test("of a gibibyte passes with flat memory on both sides", async () => {
    const process_ = await spawn(sandbox, { argv: ["dd", "if=/dev/zero", "bs=64k", "count=16384", "status=none"] });
    let bytes = 0;
    let peak = 0;
    const before = process.memoryUsage();
    for await (const event of process_.events) {
      if (event.kind === "stdout") bytes += event.data.length;
      const { heapUsed, arrayBuffers, external } = process.memoryUsage();
      peak = Math.max(
        peak,
        heapUsed - before.heapUsed + Math.max(arrayBuffers, external) - Math.max(before.arrayBuffers, before.external),
      );
      if (event.kind === "exit") expect(event).toMatchObject({ code: 0, truncated: false });
    }
    expect(bytes).toBe(1024 * mebibyte);
    expect(peak).toBeLessThan(160 * mebibyte);
    const init = await run(sandbox, "grep VmHWM /proc/1/status");
    expect(Number(/(\d+) kB/.exec(init.stdout)?.[1])).toBeLessThan(16 * 1024);
  });

  test("that nobody reads stops the command after a window, and goes on with the reader", async () => {
    const text = "for i in $(seq 1 32); do head -c 65536 /dev/zero; echo $i > progress; done";
    const process = await spawn(sandbox, { text });
    const iterator = process.events[Symbol.asyncIterator]();
    await iterator.next();
    // Other commands go on meanwhile; each is a round trip after which an unbounded writer would have been further.
    let progress = "";
    for (let round = 0; round < 20; round++)
      progress = (await run(sandbox, "sleep 0.02; cat progress 2>/dev/null")).stdout;
    // One window, one pipe, and what is in hand: well below the 32 pieces.
    expect(Number(progress)).toBeLessThan(16);
    let bytes = 0;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      if (next.value.kind === "stdout") bytes += next.value.data.length;
      if (next.value.kind === "exit") break;
    }
    expect(bytes).toBe(2 * mebibyte);
  });

  test("of many commands at once, together more than init can hold, arrives whole", async () => {
    const wishes = Array.from({ length: 24 }, () => run(sandbox, { argv: ["head", "-c", "3000000", "/dev/zero"] }));
    for (const { bytes, exit } of await Promise.all(wishes))
      expect({ bytes, code: exit.code }).toEqual({ bytes: 3_000_000, code: 0 });
  });

  test("past the cap is drained and marked, and the command ends by itself", async () => {
    const { bytes, exit } = await run(sandbox, {
      text: "head -c 3000000 /dev/zero; echo done >&2; exit 5",
      limits: { timeoutMs: 0, outputBytes: 100_000 },
    });
    expect(bytes).toBe(100_000);
    expect(exit).toMatchObject({ code: 5, truncated: true });
  });

  test("of exactly the cap is not marked", async () => {
    const { bytes, exit } = await run(sandbox, {
      text: "head -c 5000 /dev/zero",
      limits: { timeoutMs: 0, outputBytes: 5000 },
    });
    expect({ bytes, truncated: exit.truncated }).toEqual({ bytes: 5000, truncated: false });
  });

  test("in single bytes arrives whole", async () => {
    const { stdout } = await run(sandbox, {
      argv: ["python3", "-u", "-c", "import os\nfor i in range(20000): os.write(1, b'x'); os.write(2, b'y')"],
    });
    expect(stdout).toBe("x".repeat(20000));
  });

  test("of a killed command that nobody reads does not hold up the kill", async () => {
    const process = await spawn(sandbox, { argv: ["cat", "/dev/zero"] });
    await process.kill();
    expect((await finish(process)).exit.signal).toBe(9);
  });
});

test("input that the command does not read holds up the writer, and its end lets it go", async () => {
  const process = await spawn(sandbox, {
    text: "read -r line; echo got; read -r -t 1000 other < <(sleep 1000)",
    stdin: true,
  });
  await process.writeStdin(Buffer.from("line\n"));
  await waitFor(process, "got");
  let written = 0;
  const writing = (async () => {
    for (let i = 0; i < 64; i++) {
      await process.writeStdin(Buffer.alloc(64 * 1024));
      written += 1;
    }
  })();
  await run(sandbox, "sleep 0.2");
  expect(written).toBeLessThan(16);
  await process.kill();
  await writing;
  expect(written).toBe(64);
});

test("input that the command has closed is let go while the command runs on", async () => {
  const process = await spawn(sandbox, { text: "exec 0<&-; echo closed; sleep 1000", stdin: true });
  await waitFor(process, "closed");
  for (let i = 0; i < 32; i++) await process.writeStdin(Buffer.alloc(64 * 1024));
  process.closeStdin();
  await process.kill();
});

describe("connections to the proxy's port", () => {
  /** Calls with each connection from inside; what it throws fails the test that waits. */
  async function withProxy<T>(
    handle: (connection: InsideConnection) => Promise<void>,
    work: (target: WarmSandbox) => Promise<T>,
  ): Promise<T> {
    const target = await bench.open();
    const handled: Promise<void>[] = [];
    target.onConnection((connection) => handled.push(handle(connection)));
    const result = await work(target);
    await Promise.all(handled);
    await target.close();
    return result;
  }

  async function echo(connection: InsideConnection): Promise<void> {
    for (let data = await connection.read(); data !== undefined; data = await connection.read())
      await connection.write(data);
    connection.end();
  }

  test("carry bytes both ways, with half-close", async () => {
    const code = `import socket
s = socket.create_connection(("127.0.0.1", 3128))
s.sendall(b"hello" * 1000); s.shutdown(socket.SHUT_WR)
got = b""
while True:
  data = s.recv(65536)
  if not data: break
  got += data
print(got == b"hello" * 1000)`;
    expect((await withProxy(echo, (target) => run(target, { argv: ["python3", "-c", code] }))).stdout).toBe("True\n");
  });

  test("are used by programs that follow the proxy variables", async () => {
    const answer = async (connection: InsideConnection): Promise<void> => {
      let head = "";
      while (!head.includes("\r\n\r\n")) head += Buffer.from((await connection.read()) ?? []).toString();
      const body = head.split("\r\n")[0] ?? "";
      await connection.write(
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`),
      );
      connection.end();
    };
    const code = "import urllib.request; print(urllib.request.urlopen('http://example.invalid/page').read().decode())";
    const { stdout } = await withProxy(answer, (target) => run(target, { argv: ["python3", "-c", code] }));
    expect(stdout).toBe("GET http://example.invalid/page HTTP/1.1\n");
  });

  test("pass megabytes, many at once", async () => {
    const code = `import socket, threading
def work():
  s = socket.create_connection(("127.0.0.1", 3128)); sent = b"abcdefgh" * 131072; got = 0
  t = threading.Thread(target=lambda: (s.sendall(sent), s.shutdown(socket.SHUT_WR))); t.start()
  while True:
    data = s.recv(1 << 16)
    if not data: break
    got += len(data)
  t.join(); results.append(got == len(sent))
results = []
threads = [threading.Thread(target=work) for _ in range(16)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(results), all(results))`;
    expect((await withProxy(echo, (target) => run(target, { argv: ["python3", "-c", code] }))).stdout).toBe(
      "16 True\n",
    );
  });

  test("hold up a sender whom the sidecar does not read", async () => {
    const reading = Promise.withResolvers<void>();
    const slow = async (connection: InsideConnection): Promise<void> => {
      await reading.promise;
      let bytes = 0;
      for (let data = await connection.read(); data !== undefined; data = await connection.read()) bytes += data.length;
      await connection.write(Buffer.from(String(bytes)));
      connection.end();
    };
    const code = `import socket
s = socket.create_connection(("127.0.0.1", 3128)); s.setblocking(False); sent = 0; data = bytes(1 << 16)
import select
while sent < 64 << 20:
  if not select.select([], [s], [], 1)[1]: break
  sent += s.send(data)
print(sent < 64 << 20, flush=True)
s.setblocking(True); s.shutdown(socket.SHUT_WR); print(int(s.recv(100)) == sent)`;
    const { stdout } = await withProxy(slow, async (target) => {
      const process = await spawn(target, { argv: ["python3", "-u", "-c", code] });
      const first = await waitFor(process, "\n");
      reading.resolve();
      return { stdout: first + (await finish(process)).stdout };
    });
    expect(stdout).toBe("True\nTrue\n");
  });

  test("are reset from either side", async () => {
    const reset = Promise.withResolvers<unknown>();
    let count = 0;
    const handle = async (connection: InsideConnection): Promise<void> => {
      count += 1;
      if (count === 1) {
        connection.destroy();
        await expect(connection.read()).rejects.toMatchObject({ code: "aborted" });
        return;
      }
      reset.resolve(
        await connection
          .read()
          .then(() => connection.read())
          .catch((error: unknown) => error),
      );
      await expect(connection.write(Buffer.from("x"))).rejects.toMatchObject({ code: "aborted" });
    };
    const code = `import socket, struct
s = socket.create_connection(("127.0.0.1", 3128))
try: print("got", s.recv(1))
except ConnectionResetError: print("reset")
s = socket.create_connection(("127.0.0.1", 3128)); s.sendall(b"x")
s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)); s.close()`;
    expect((await withProxy(handle, (target) => run(target, { argv: ["python3", "-c", code] }))).stdout).toBe(
      "reset\n",
    );
    expect(await reset.promise).toMatchObject({ code: "aborted" });
  });

  test("are refused where nobody handles them", async () => {
    const target = await bench.open();
    const code =
      "import socket\ntry: print(socket.create_connection(('127.0.0.1', 3128)).recv(1))\nexcept ConnectionResetError: print('reset')";
    expect((await run(target, { argv: ["python3", "-c", code] })).stdout).toBe("reset\n");
  });
});
