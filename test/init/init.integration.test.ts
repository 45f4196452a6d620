import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  encodeCredit,
  encodeDiscard,
  encodeEof,
  encodeKill,
  encodePing,
  encodeReset,
  encodeSignal,
  encodeStat,
  encodeTerminate,
} from "../../src/wire/encode-frame.ts";
import { encodeSpawn, noLimits } from "../../src/wire/encode-spawn.ts";
import { failedStage, frameType, maxData, windowBytes } from "../../src/wire/protocol.ts";
import { docker, ensureEngine } from "../sandbox/engine.ts";
import { words } from "../sandbox/memory-carrier.ts";
import { frameBytes } from "../wire/frames.ts";
import { RawInit } from "./raw-init.ts";

beforeAll(ensureEngine);

const spawn = (channel: number, argv: readonly string[], credit = windowBytes, stdin = false): Uint8Array =>
  encodeSpawn(channel, { argv, cwd: "/", env: ["PATH=/bin"], stdin, credit, limits: noLimits });

describe("a request that init cannot serve is refused, and init goes on", () => {
  const fixed = (argc: number, envc: number): Buffer => Buffer.concat([words(0, 0, 0, argc, envc), Buffer.alloc(32)]);
  test.each<[string, Uint8Array]>([
    ["an empty spawn", frameBytes(frameType.spawn, 9)],
    ["no arguments", frameBytes(frameType.spawn, 9, Buffer.concat([fixed(0, 0), Buffer.from("/\0")]))],
    [
      "more arguments than strings",
      frameBytes(frameType.spawn, 9, Buffer.concat([fixed(3, 0), Buffer.from("/\0a\0")])),
    ],
    [
      "four milliards of arguments",
      frameBytes(frameType.spawn, 9, Buffer.concat([fixed(0xffffffff, 0xffffffff), Buffer.from("/\0a\0")])),
    ],
    [
      "more strings than were announced",
      frameBytes(frameType.spawn, 9, Buffer.concat([fixed(1, 0), Buffer.from("/\0a\0b\0")])),
    ],
    ["a string without an end", frameBytes(frameType.spawn, 9, Buffer.concat([fixed(1, 0), Buffer.from("/\0a")]))],
    ["more credit than a window", spawn(9, ["true"], windowBytes + 1)],
    ["a channel of connections", spawn(0x80000001, ["true"])],
    ["channel 0", spawn(0, ["true"])],
  ])("%s", async (_name, bytes) => {
    await using init = await RawInit.start();
    init.send(bytes);
    expect(await init.next()).toMatchObject({ kind: "failed", errno: 22, stage: failedStage.request });
    init.send(spawn(1, ["echo", "fine"]));
    const frames = await init.until("exit");
    expect(frames.map((frame) => frame.kind)).toEqual(["started", "stdout", "exit"]);
  });
});

describe("a stream that breaks the protocol ends init and its container", () => {
  test.each<[string, Uint8Array[]]>([
    ["a data frame that is too long", [Buffer.from([1, 0, 1, frameType.data, 1, 0, 0, 0])]],
    ["a spawn that is too long", [Buffer.from([1, 0, 0x10, frameType.spawn, 1, 0, 0, 0])]],
    [
      "more input than was granted",
      [
        spawn(1, ["sleep", "1000"], windowBytes, true),
        ...Array.from({ length: 9 }, () => frameBytes(frameType.data, 1, Buffer.alloc(maxData))),
      ],
    ],
    ["more credit than a window", [spawn(1, ["sleep", "1000"]), encodeCredit(1, 1), encodeCredit(1, windowBytes)]],
    ["an unknown frame", [spawn(1, ["sleep", "1000"]), frameBytes(99, 1)]],
    ["a reset of a command", [spawn(1, ["sleep", "1000"]), encodeReset(1)]],
  ])("%s", async (_name, frames) => {
    await using init = await RawInit.start();
    init.send(...frames);
    await init.gone();
    await expect(docker.getContainer(init.containerId).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe("a command", () => {
  test("that is told to end gets SIGTERM with all of its tree, and is not killed by init", async () => {
    await using init = await RawInit.start();
    const text =
      "trap 'echo main; exit 3' TERM; (trap 'sleep 0.4; echo child; exit' TERM; echo ready; while :; do sleep 0.05; done) & while :; do sleep 0.05; done";
    init.send(spawn(1, ["sh", "-c", text]));
    await init.until("stdout");
    init.send(encodeTerminate(1));
    const frames = await init.until("exit");
    const said = Buffer.concat(frames.flatMap((frame) => (frame.kind === "stdout" ? [frame.data] : []))).toString();
    expect(said).toBe("main\nchild\n");
    expect(frames.at(-1)).toMatchObject({ code: 3, flags: 0 });
  });

  test("whose output is discarded writes without credit, and ends with its code", async () => {
    await using init = await RawInit.start();
    init.send(spawn(1, ["sh", "-c", "head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2; exit 4"], 0));
    await init.until("started");
    init.send(encodeDiscard(1));
    const frames = await init.until("exit");
    expect(frames.map((frame) => frame.kind)).toEqual(["exit"]);
    expect(frames[0]).toMatchObject({ code: 4 });
  });

  test("that is over when its output is discarded ends at once", async () => {
    await using init = await RawInit.start();
    init.send(spawn(1, ["sh", "-c", "head -c 100 /dev/zero"], 0), encodePing(1n));
    await init.until("pong");
    // It has long ended where a later one has; its exit waits for credit.
    init.send(spawn(2, ["sh", "-c", "exit 0"]));
    await init.until("exit");
    init.send(encodeDiscard(1));
    expect((await init.until("exit")).at(-1)).toMatchObject({ channel: 1, code: 0 });
  });

  test("has its environment from the spawn alone, no core files and the usual mask", async () => {
    await using init = await RawInit.start();
    init.send(spawn(1, ["sh", "-c", "env; ulimit -c; umask"]));
    const frames = await init.until("exit");
    const said = Buffer.concat(frames.flatMap((frame) => (frame.kind === "stdout" ? [frame.data] : []))).toString();
    const own = /^(PWD|SHLVL|OLDPWD)=/;
    expect(said.split("\n").filter((line) => !own.test(line))).toEqual(["PATH=/bin", "0", "0022", ""]);
  });
});

describe("whatever bytes come", () => {
  const types = Object.values(frameType);
  const frame = fc.record({
    type: fc.oneof(fc.constantFrom(...types), fc.nat(255)),
    channel: fc.constantFrom(0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff),
    payload: fc.uint8Array({ maxLength: 80 }),
  });

  test("init serves them or ends with its container, and never hangs", async () => {
    const runs = fc.sample(fc.array(frame, { minLength: 1, maxLength: 30 }), { numRuns: 12, seed: 4 });
    for (const frames of runs) {
      await using init = await RawInit.start();
      init.send(
        spawn(1, ["cat"], 10, true),
        spawn(2, ["sh", "-c", "sleep 1000 & sleep 1000"]),
        ...frames.map(({ type, channel, payload }) => frameBytes(type, channel, payload)),
        encodePing(99n),
      );
      const answered = init.until("pong").then(
        () => "served",
        () => "ended",
      );
      expect(["served", "ended"]).toContain(await answered);
      if ((await answered) === "ended") await init.gone();
    }
  });

  test("the end of the stream in the middle of a frame ends the container", async () => {
    await using init = await RawInit.start();
    init.send(spawn(1, ["sleep", "1000"]), spawn(2, ["sleep", "1000"]).subarray(0, 40));
    await init.until("started");
    init.hangUp();
    await init.gone();
    await expect(docker.getContainer(init.containerId).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe("frames", () => {
  test("for what is over or never was are ignored", async () => {
    await using init = await RawInit.start();
    init.send(
      encodeKill(5),
      encodeSignal(5, 9),
      encodeEof(5),
      encodeCredit(5, 1),
      encodeReset(0x80000005),
      encodeCredit(0x80000005, 1),
      encodePing(77n),
    );
    expect(await init.next()).toEqual({ kind: "pong", channel: 0, token: 77n });
  });

  test("cut into single bytes are served", async () => {
    await using init = await RawInit.start();
    for (const byte of spawn(1, ["echo", "slowly"])) init.send(Uint8Array.of(byte));
    expect((await init.until("exit")).map((frame) => frame.kind)).toEqual(["started", "stdout", "exit"]);
  });

  test("of fifty commands at once are served in turn, each to its end", async () => {
    await using init = await RawInit.start();
    init.send(...Array.from({ length: 50 }, (_, index) => spawn(index + 1, ["sh", "-c", `exit ${index + 1}`])));
    for (let left = 50; left > 0; left--) {
      const exit = (await init.until("exit")).at(-1);
      expect(exit).toMatchObject({ code: exit !== undefined && "channel" in exit ? exit.channel : undefined });
    }
  });

  test("past the most commands are refused, not lost", async () => {
    await using init = await RawInit.start();
    const all = Array.from({ length: 300 }, (_, index) => spawn(index + 1, ["sleep", "1000"]));
    init.send(...all);
    let [started, failed] = [0, 0];
    while (started + failed < 300) {
      const frame = await init.next();
      started += frame.kind === "started" ? 1 : 0;
      failed += frame.kind === "failed" ? 1 : 0;
    }
    expect(started).toBeGreaterThan(20);
    expect(failed).toBeGreaterThanOrEqual(44);
    init.send(...Array.from({ length: 300 }, (_, index) => encodeKill(index + 1)));
    for (let left = started; left > 0; left--) await init.until("exit");
    init.send(spawn(1000, ["echo", "fine"]));
    expect((await init.until("exit")).some((frame) => frame.kind === "stdout")).toBe(true);
  });

  test("stat tells device, inode and kind, and why not", async () => {
    await using init = await RawInit.start();
    init.send(encodeStat(3, "/bin"), encodeStat(4, "/no/such"));
    expect(await init.next()).toMatchObject({ kind: "stated", channel: 3, errno: 0 });
    expect(await init.next()).toMatchObject({ kind: "stated", channel: 4, errno: 2 });
  });

  test("of output stop at the credit, and go on with more", async () => {
    await using init = await RawInit.start();
    init.send(spawn(1, ["sh", "-c", "head -c 1000 /dev/zero; echo end >&2"], 10));
    let bytes = 0;
    init.send(encodePing(1n));
    for (const frame of await init.until("pong")) if ("data" in frame) bytes += frame.data.length;
    while (bytes < 10) {
      const frame = await init.next();
      if ("data" in frame) bytes += frame.data.length;
    }
    expect(bytes).toBe(10);
    init.send(encodeCredit(1, 500), encodeCredit(1, 494));
    for (const frame of await init.until("exit")) if ("data" in frame) bytes += frame.data.length;
    expect(bytes).toBe(1004);
  });
});
