import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { surfaceFetch, type SurfaceFetchParts } from "../../src/wiring/surface-fetch.ts";

const nothing: SurfaceFetchParts = {
  resolve: () => Promise.reject(new Error("no name is looked up here")),
  rules: { allow: [], ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] },
  ca: undefined,
  upstream: undefined,
};

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

function request(url: string, signal = new AbortController().signal, timeoutMs = 20_000) {
  return { url, headers: { "x-a": "b" }, body: Buffer.from("hi"), signal, timeoutMs };
}

describe("the way out of a surface", () => {
  it("leads to the configured address, with what is sent and nothing of the environment", async () => {
    const seen: unknown[] = [];
    const root = await serve((incoming, response) => {
      seen.push(incoming.method, incoming.url, incoming.headers["x-a"], incoming.headers["authorization"]);
      response.writeHead(201, { "Retry-After": "7" }).end("answer");
    });
    const answer = await surfaceFetch(root, nothing)(request(`${root}/bot1:a/getMe?x=1`));
    expect(answer.status).toBe(201);
    expect(answer.headers.get("retry-after")).toBe("7");
    expect(Buffer.from(answer.body).toString()).toBe("answer");
    expect(seen).toEqual(["POST", "/bot1:a/getMe?x=1", "b", undefined]);
  });

  it("leads nowhere else: another port, another host, another scheme", async () => {
    const touched: string[] = [];
    const root = await serve((_incoming, response) => response.end());
    const other = await serve((incoming, response) => {
      touched.push(incoming.url ?? "");
      response.end();
    });
    const send = surfaceFetch(root, nothing);
    for (const url of [
      other,
      "http://127.0.0.2:80/",
      root.replace("http:", "https:"),
      root.replace("127.0.0.1", "localhost"),
      "file:///etc/passwd",
      root.replace("//", "//u:p@"),
    ])
      await expect(send(request(url))).rejects.toThrow();
    expect(touched).toEqual([]);
  });

  it("gives a redirect back and does not follow it", async () => {
    let calls = 0;
    const root = await serve((_incoming, response) => {
      calls += 1;
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect((await surfaceFetch(root, nothing)(request(root))).status).toBe(302);
    expect(calls).toBe(1);
  });

  it.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"])(
    "does not lead to %s by a name that a resolver gives it for",
    async (address) => {
      const send = surfaceFetch("https://hooks.example.com/x", {
        ...nothing,
        resolve: async () => {
          const { parseAddress } = await import("../../src/egress/address.ts");
          const parsed = parseAddress(address);
          return parsed === undefined ? [] : [parsed];
        },
      });
      await expect(send(request("https://hooks.example.com/x"))).rejects.toMatchObject({ name: "EgressProblem" });
    },
  );

  it.each(["http://169.254.169.254/x", "http://[::ffff:169.254.169.254]/x"])(
    "does not lead to a metadata service (%s), configured or not",
    async (url) => {
      await expect(surfaceFetch(url, nothing)(request(url))).rejects.toThrow(/metadata|169\.254/i);
    },
  );

  it("reads an answer to a bound, and ends with its time and with its caller", async () => {
    const root = await serve((incoming, response) => {
      if (incoming.url === "/large") response.end(Buffer.alloc(5 * 1024 * 1024));
    });
    const send = surfaceFetch(root, nothing);
    await expect(send(request(`${root}/large`))).rejects.toMatchObject({ reason: "too_large" });
    await expect(send(request(`${root}/never`, undefined, 30))).rejects.toMatchObject({ reason: "deadline" });
    const caller = new AbortController();
    const waiting = send(request(`${root}/never`, caller.signal));
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ reason: "cancelled" });
  });
});
