import { once } from "node:events";
import { createServer, type AddressInfo, connect } from "node:net";
import { PassThrough } from "node:stream";
import { connect as connectTls } from "node:tls";
import { beforeAll, describe, expect, it } from "vitest";
import { EgressProblem } from "../../src/egress/egress-problem.ts";
import { parseAuthority } from "../../src/egress/proxying/authority.ts";
import { maxHelloBytes, sniffClientHello } from "../../src/egress/proxying/client-hello.ts";
import { SniCheck } from "../../src/egress/proxying/sni-check.ts";

/** The first bytes that Node's own TLS client sends. */
async function realHello(servername: string): Promise<Buffer> {
  const first = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => socket.once("data", first.resolve).on("error", () => undefined));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const raw = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const secure = connectTls({ socket: raw, servername });
  secure.on("error", () => undefined);
  const hello = await first.promise;
  secure.destroy();
  raw.destroy();
  server.close();
  return hello;
}

let hello: Buffer;
let nameless: Buffer;
beforeAll(async () => {
  hello = await realHello("ok.test");
  nameless = await realHello("");
});

/** The same message cut into records of this size. */
function inRecords(bytes: Buffer, size: number): Buffer {
  const message = bytes.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part);
  }
  return Buffer.concat(records);
}

/** A ClientHello with these extensions. */
function handmade(...extensions: readonly Buffer[]): Buffer {
  return handmadeBefore(Buffer.alloc(0), ...extensions);
}

/** The same with something after its extensions. */
function handmadeBefore(tail: Buffer, ...extensions: readonly Buffer[]): Buffer {
  const vector = (size: number, data: Buffer) => {
    const length = Buffer.alloc(size);
    length.writeUIntBE(data.length, 0, size);
    return Buffer.concat([length, data]);
  };
  const parts = [
    Buffer.alloc(34),
    vector(1, Buffer.alloc(0)),
    vector(2, Buffer.from([0x13, 1])),
    vector(1, Buffer.from([0])),
  ];
  const body = Buffer.concat([
    ...parts,
    ...(extensions.length === 0 ? [] : [vector(2, Buffer.concat(extensions))]),
    tail,
  ]);
  return Buffer.concat([Buffer.from([22, 3, 1]), vector(2, Buffer.concat([Buffer.from([1]), vector(3, body)]))]);
}

function nameExtension(name: string, type = 0): Buffer {
  const text = Buffer.from(name, "latin1");
  const list = Buffer.concat([Buffer.from([type, text.length >> 8, text.length & 0xff]), text]);
  return Buffer.concat([Buffer.from([0, 0, 0, list.length + 2, 0, list.length]), list]);
}

describe("sniffClientHello", () => {
  it("finds the name in what a real client sends, and that there is none", () => {
    expect(sniffClientHello(hello)).toEqual({ kind: "hello", name: "ok.test" });
    expect(sniffClientHello(nameless)).toEqual({ kind: "hello", name: undefined });
    expect(sniffClientHello(handmade())).toEqual({ kind: "hello", name: undefined });
    expect(sniffClientHello(handmade(nameExtension("OK.test")))).toEqual({ kind: "hello", name: "ok.test" });
  });

  it("V276: waits for more at every cut, over records and segments, and then finds it", () => {
    for (const bytes of [hello, inRecords(hello, 50)]) {
      for (let cut = 0; cut < bytes.length; cut += 1)
        expect(sniffClientHello(bytes.subarray(0, cut))).toEqual({ kind: "more" });
      expect(sniffClientHello(Buffer.concat([bytes, Buffer.from("early data")]))).toEqual({
        kind: "hello",
        name: "ok.test",
      });
    }
    const padding = Buffer.concat([Buffer.from([0, 21, 0x3c, 0]), Buffer.alloc(0x3c00)]);
    expect(sniffClientHello(inRecords(handmade(padding, nameExtension("late.test")), 16_000))).toEqual({
      kind: "hello",
      name: "late.test",
    });
  });

  it("calls everything else what it is", () => {
    for (const text of ["GET / HTTP/1.1\r\n", "SSH-2.0-x\r\n", "\x05\x01\x00", "\x16\x02\x01"])
      expect([text, sniffClientHello(Buffer.from(text, "latin1")).kind]).toEqual([text, "not_tls"]);
    const alert = Buffer.concat([hello.subarray(0, 5), Buffer.from([2]), hello.subarray(6)]);
    const broken = Buffer.from(handmade(nameExtension("ok.test")));
    broken[43] = 200;
    for (const [what, bytes] of Object.entries({
      twoNames: handmade(nameExtension("ok.test"), nameExtension("other.test")),
      otherType: handmade(nameExtension("ok.test", 1)),
      empty: handmade(nameExtension("")),
      nameAfterAll: handmadeBefore(nameExtension("other.test"), nameExtension("ok.test")),
      serverHello: alert,
      broken,
      emptyRecord: Buffer.from([22, 3, 1, 0, 0]),
      manyRecords: inRecords(hello, 2),
      otherRecordInside: Buffer.concat([inRecords(hello, 50).subarray(0, 55), Buffer.from([23, 3, 3, 0, 1, 0])]),
    }))
      expect([what, sniffClientHello(bytes).kind]).toEqual([what, "malformed"]);
  });
});

/** Sends parts through the check; gives what was passed on, or the reason of the cut. */
function through(authority: string, ...parts: readonly Buffer[]): Promise<string> {
  return passedBy(new SniCheck(parseAuthority(authority)), parts);
}

async function passedBy(check: SniCheck, parts: readonly Buffer[]): Promise<string> {
  const source = new PassThrough();
  const passed: Buffer[] = [];
  check.on("data", (part: Buffer) => passed.push(part));
  const ended = once(check, "end").then(() => Buffer.concat(passed).toString("latin1"));
  source.pipe(check);
  for (const part of parts) source.write(part);
  source.end();
  try {
    return await ended;
  } catch (error) {
    if (error instanceof EgressProblem) return `${error.reason} after ${passed.length}`;
    throw error;
  }
}

describe("the check of a tunnel's first bytes", () => {
  const cut = "sni_mismatch after 0";
  const whole = () => hello.toString("latin1");
  const bytewise = () => [...hello].map((byte) => Buffer.from([byte]));

  it("passes a matching ClientHello on, unchanged and once, however it is cut", async () => {
    expect(await through("ok.test:443", hello)).toBe(whole());
    expect(await through("OK.TEST:8443", hello, Buffer.from("more"))).toBe(`${whole()}more`);
    expect(await through("ok.test:443", ...bytewise())).toBe(whole());
    expect(await through("127.0.0.2:443", nameless)).toBe(nameless.toString("latin1"));
  });

  it("passes nothing of another name, of none, and of a broken one", async () => {
    expect(await through("other.test:443", hello)).toBe(cut);
    expect(await through("other.test:8443", hello)).toBe(cut);
    expect(await through("test:443", hello)).toBe(cut);
    expect(await through("ok.test:443", nameless)).toBe(cut);
    expect(await through("127.0.0.2:443", hello)).toBe(cut);
    expect(await through("ok.test:443", hello.subarray(0, 100))).toBe(cut);
    expect(await through("ok.test:443", handmade(nameExtension("ok.test\0.evil.test")))).toBe(cut);
  });

  it.each([
    "evil.test",
    "ok.test.evil.test",
    "xok.test",
    "a.ok.test",
    ".ok.test",
    "ok.test..",
    " ok.test",
    "ok.test:443",
    "ok.test\0",
    "ok.test\0.evil.test",
    "*.test",
    "127.0.0.1",
    "ok\xe3\x80\x82test",
    "x".repeat(300),
  ])("passes no other name on: %j", async (name) => {
    const key = Buffer.concat([Buffer.from([0, 51, 4, 0]), Buffer.alloc(1024)]);
    for (const bytes of [handmade(nameExtension(name)), handmade(key, nameExtension(name))])
      for (const sent of [bytes, inRecords(bytes, 50)])
        expect([await through("ok.test:443", sent), await through("ok.test:8443", sent)]).toEqual([cut, cut]);
  });

  it("passes an encrypted ClientHello on only where those may pass, and by its outer name", async () => {
    const encrypted = handmade(nameExtension("ok.test"), Buffer.from([0xfe, 0x0d, 0, 1, 0]));
    expect(sniffClientHello(encrypted)).toEqual({ kind: "hello", name: "ok.test", encrypted: true });
    expect(await through("ok.test:443", encrypted)).toBe(cut);
    for (const [high, low] of [0xfe08, 0xfe09, 0xfe0a, 0xfe0b, 0xfe0c, 0xff02, 0xff03, 0xffce].map((draft) => [
      draft >> 8,
      draft & 255,
    ]))
      expect(
        await through("ok.test:443", handmade(nameExtension("ok.test"), Buffer.from([high ?? 0, low ?? 0, 0, 1, 0]))),
      ).toBe(cut);
    const allowing = (authority: string) => passedBy(new SniCheck(parseAuthority(authority), "allow"), [encrypted]);
    expect(await allowing("ok.test:443")).toBe(encrypted.toString("latin1"));
    expect(await allowing("other.test:443")).toBe(cut);
  });

  it("V278: lets only TLS through on port 443, and other protocols elsewhere", async () => {
    const banner = Buffer.from("SSH-2.0-OpenSSH\r\n");
    expect(await through("ok.test:443", banner)).toBe(cut);
    expect(await through("ok.test:22", banner)).toBe(banner.toString());
    expect(await through("ok.test:443")).toBe("");
  });

  it("holds a bounded number of bytes", async () => {
    const endless = Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0xff, 0]), Buffer.alloc(0x3ffc)]);
    const record = Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0]), Buffer.alloc(0x4000)]);
    expect(await through("ok.test:443", endless)).toBe(cut);
    const claims = Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0x7f, 0xf0]), Buffer.alloc(0x3ffc)]);
    expect(claims.length + record.length).toBeGreaterThan(maxHelloBytes);
    expect(await through("ok.test:443", claims, record, record)).toBe(cut);
  });
});
