import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

let origin: Server;
let sallyport: RunningSallyport;
let url: string;

beforeAll(async () => {
  origin = createServer((request, response) => {
    const type = request.url === "/image" ? "image/png" : "text/html; charset=iso-8859-1";
    response.writeHead(200, { "content-type": type });
    response.end(Buffer.from('<title>Menu</title><p>Caf\xe9 <a href="/more">more</a><script>x()</script>', "latin1"));
  }).listen(0, "127.0.0.1");
  await once(origin, "listening");
  const { port } = origin.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  sallyport = await startSallyport({ settings: `egress:\n  allow: ["127.0.0.1/32:${port}"]\n` });
});
afterAll(async () => {
  await sallyport.remove();
  origin.close();
});

it("reads a page as text", async () => {
  const client = sallyport.client();
  const { session } = await client.sessions.open({ key: "f", mode: Mode.ALLOW_ALL });
  const spec = { sessionId: session?.id ?? "", url: `${url}/`, asText: true };
  const { header, body } = await client.fetch.get({ spec });
  expect(Buffer.from(body).toString()).toBe(`# Menu\n\nCafé [more](${url}/more)\n`);
  expect(header?.textType).toBe("text/markdown");
  await expect(client.fetch.get({ spec: { ...spec, url: `${url}/image` } })).rejects.toMatchObject({
    code: "failed_precondition",
    message: expect.stringContaining("image/png") as string,
  });
});
