// oxlint-disable no-control-regex -- SOCKS is bytes below the space
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testAuthority } from "./support/certificates.ts";
import { forgotten } from "./support/corpus.ts";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { connectRaw, type RawClient } from "./support/raw-client.ts";
import { startHttps, startRaw, type Listening } from "./support/servers.ts";

let p: ProxyLab;
let upstream: Listening;
const others: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  p = await openProxyLab({ headerMs: 60_000, connectMs: 5_000 });
  upstream = await startRaw((socket) => void socket.pipe(socket));
  p.lab.open(upstream.port);
});
afterEach(async () => {
  expect(p.lab.canary.accepted()).toBe(0);
  await Promise.all([p.close(), upstream.close(), ...others.splice(0).map((other) => other.close())]);
});

const hello = [5, 1, 0];

/** A request for a name (RFC 1928, section 4, address type 3). */
function named(name: string, port: number, command = 1): Uint8Array {
  return Uint8Array.of(5, command, 0, 3, name.length, ...Buffer.from(name, "latin1"), port >> 8, port & 255);
}

/** A request for an address. */
function literal(bytes: readonly number[], port: number, command = 1): Uint8Array {
  return Uint8Array.of(5, command, 0, bytes.length === 4 ? 1 : 4, ...bytes, port >> 8, port & 255);
}

async function greeted(): Promise<RawClient> {
  const client = await connectRaw(p.port);
  client.send(Uint8Array.from(hello));
  await client.until(/^\x05\x00/);
  return client;
}

/** The reply to one request; what follows it is an end of the connection, unless it is 0. */
async function replyTo(request: Uint8Array): Promise<number> {
  const client = await greeted();
  client.send(request);
  const text = await client.until(/^\x05\x00\x05[\s\S]{9}/);
  const reply = text.charCodeAt(3);
  if (reply !== 0) expect((await client.closed).length).toBe(12);
  client.socket.destroy();
  return reply;
}

const loopback6 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1];

const cases: Readonly<Record<string, () => Promise<void>>> = {
  V345: async () => {
    const client = await connectRaw(p.port);
    client.send(Uint8Array.of(5, 1, 2));
    await client.until(/^\x05\x02$/);
    client.send(Uint8Array.of(1, 3, 1, 2, 3, 2, 9, 9));
    await client.until(/^\x05\x02\x01\x00$/);
    client.send(named("ok.test", upstream.port));
    await client.until(/^\x05\x02\x01\x00\x05\x00/);
    client.socket.destroy();
  },
  V346: async () => {
    const client = await greeted();
    client.send(named("ok.test", upstream.port));
    await client.until(/^\x05\x00\x05\x00\x00\x01\x00{6}$/);
    client.send("ping");
    await client.until(/ping$/);
    client.socket.end();
    await client.closed;
    expect(p.intents).toEqual([{ kind: "connect", host: "ok.test", port: upstream.port, via: "tunnel" }]);
    await expect.poll(() => p.outcomes).toMatchObject([{ kind: "done", facts: { bytesUp: 4, bytesDown: 4 } }]);
  },
  V348: async () => {
    expect(await replyTo(named("evil.test\0.ok.test", 443))).toBe(2);
    expect(p.lab.dns.log).toEqual([]);
  },
  V349: async () => {
    for (const name of ["127.0.0.1", "127.1", "2130706433", "[::1]", "::1", "fe80::1%lo", "0x7f.1", "localhost"])
      expect([name, await replyTo(named(name, p.lab.canary.port))]).toEqual([name, 2]);
    expect(p.lab.dns.log).toEqual([]);
  },
  V351: async () => {
    for (const bytes of [[127, 0, 0, 1], loopback6, mapped])
      expect(await replyTo(literal(bytes, p.lab.canary.port))).toBe(2);
  },
  V352: async () => {
    p.lab.denied.add("8.8.8.8");
    expect(await replyTo(literal([8, 8, 8, 8], 443))).toBe(2);
  },
  V353: async () => {
    expect(await replyTo(named("ok.test", upstream.port, 2))).toBe(7);
    expect(await replyTo(literal([127, 0, 0, 2], upstream.port, 3))).toBe(7);
  },
  V355: async () => {
    expect(await replyTo(named("ok.test", 0))).toBe(2);
    expect(await replyTo(named("closed-port.test", 22))).toBe(2);
  },
  V356: async () => {
    const client = await connectRaw(p.port);
    client.send(Uint8Array.of(4, 1, 0, 80, 127, 0, 0, 2, 0));
    expect(await client.closed).toBe("");
  },
  V358: async () => {
    await upstream.close();
    expect(await replyTo(named("ok.test", upstream.port))).toBe(5);
    expect(await replyTo(named("missing.test", 443))).toBe(4);
    p.lab.dns.zones.set("silent.test", { silent: true });
    expect(await replyTo(named("silent.test", 443))).toBe(6);
  },
};

describe("SOCKS 5", () => {
  it.each(Object.keys(cases))("%s", async (id) => {
    await cases[id]?.();
  });

  it("has a case for each of the list", () => {
    expect(forgotten("K", cases)).toEqual([]);
  });

  it("asks about a name before it is resolved", async () => {
    p.lab.denied.add("denied.test");
    expect(await replyTo(named("denied.test", 443))).toBe(2);
    expect(p.lab.dns.log).toEqual([]);
  });

  it("takes its bytes in any pieces, and those that follow the request once", async () => {
    const client = await connectRaw(p.port);
    client.socket.setNoDelay(true);
    const all = [...hello, ...named("ok.test", upstream.port), ...Buffer.from("early")];
    for (const byte of all) await new Promise((done) => client.socket.write(Uint8Array.of(byte), done));
    await client.until(/^\x05\x00\x05\x00[\s\S]{8}early$/);
    client.socket.destroy();
  });

  it("checks the ClientHello as in any tunnel", async () => {
    const secure = await startHttps((_request, response) => void response.end("secret"));
    others.push(secure);
    p.lab.open(secure.port);
    const through = async (servername: string): Promise<string> => {
      const client = await greeted();
      client.send(named("ok.test", secure.port));
      await client.until(/^\x05\x00\x05\x00[\s\S]{8}/);
      client.socket.removeAllListeners("data");
      const tls = connectTls({
        socket: client.socket,
        servername,
        ca: testAuthority,
        checkServerIdentity: () => undefined,
      });
      tls.write("GET / HTTP/1.1\r\nHost: ok.test\r\nConnection: close\r\n\r\n");
      let text = "";
      tls.on("data", (chunk: Buffer) => (text += chunk.toString())).on("error", () => undefined);
      await new Promise((done) => tls.once("end", done).once("close", done));
      return text;
    };
    expect(await through("ok.test")).toContain("secret");
    expect(await through("other.test")).toBe("");
  });

  it.each([
    ["no method that is known", [5, 1, 1], "\x05\xff"],
    ["no method at all", [5, 0], "\x05\xff"],
    ["another version in the request", [...hello, 4, 1, 0, 1], "\x05\x00"],
    ["another version of the password", [5, 1, 2, 9], "\x05\x02"],
  ])("is ended with %s", async (_what, bytes, answer) => {
    const client = await connectRaw(p.port);
    client.send(Uint8Array.from(bytes));
    expect(await client.closed).toBe(answer);
  });

  it("says that it knows no such address type", async () => {
    expect(await replyTo(Uint8Array.of(5, 1, 0, 9))).toBe(8);
  });

  it("lets go of a client that leaves in the middle", async () => {
    for (const bytes of [[5], hello, [...hello, 5, 1, 0, 3, 7, 111]]) {
      const client = await connectRaw(p.port);
      client.send(Uint8Array.from(bytes));
      client.socket.end();
      await client.closed;
    }
    await expect.poll(() => p.proxy.connections).toBe(0);
  });

  it("is cut when what allowed it is revoked", async () => {
    const client = await greeted();
    client.send(named("ok.test", upstream.port));
    await client.until(/^\x05\x00\x05\x00[\s\S]{8}/);
    p.revoke();
    await client.closed;
    await expect.poll(() => p.proxy.connections).toBe(0);
  });
});

describe("a client that leaves before its first byte", () => {
  it("is let go", async () => {
    const client = await connectRaw(p.port);
    client.socket.end();
    await client.closed;
    await expect.poll(() => p.proxy.connections).toBe(0);
  });
});
