import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { type RunningSallyport, repository, startSallyport } from "./support/start-sallyport.ts";

const run = promisify(execFile);
const buf = join(repository, "node_modules/.bin/buf");

describe("buf curl, without any proto file", () => {
  let sallyport: RunningSallyport;
  let token: string;
  let address: string;

  beforeAll(async () => {
    sallyport = await startSallyport({ args: ["--listen", "127.0.0.1:0"] });
    ({ token } = await sallyport.client().agents.createToken({ agent: "curl", tier: Tier.OPERATOR }));
    address = /SALLYPORT_ADDRESS=(\S+)/.exec(sallyport.output())?.[1] ?? "";
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  afterAll(() => sallyport.remove());

  const overSocket = (): string[] => [
    "curl",
    "--protocol",
    "grpc",
    "--http2-prior-knowledge",
    "--unix-socket",
    sallyport.socket,
  ];
  const overTcp = (): string[] => [
    "curl",
    "--protocol",
    "grpc",
    "--http2-prior-knowledge",
    "--header",
    `authorization: Bearer ${token}`,
  ];

  it.each([
    ["the unix socket", overSocket, () => "http://localhost"],
    ["TCP", overTcp, () => `http://${address}`],
  ])("lists services and runs a command, streamed, over %s", async (_name, args, base) => {
    const listed = await run(buf, [...args(), "--list-services", base()]);
    expect(listed.stdout).toContain("sallyport.v1.ExecService");
    expect(listed.stdout).toContain("grpc.health.v1.Health");
    const data = JSON.stringify({ start: { command: { shell: "pwd" } } });
    const ran = await run(buf, [...args(), "--data", data, `${base()}/sallyport.v1.ExecService/Run`]);
    expect(ran.stdout).toContain(`"stdout": "${Buffer.from(`${sallyport.workspace}\n`).toString("base64")}"`);
    expect(ran.stdout).toContain('"code": 0');
  });

  it("tells health without a token, and nothing else", async () => {
    const plain = ["curl", "--protocol", "grpc", "--http2-prior-knowledge", "--data", "{}"];
    const health = await run(buf, [...plain, `http://${address}/grpc.health.v1.Health/Check`]);
    expect(health.stdout).toContain("SERVING");
    await expect(run(buf, [...plain, `http://${address}/sallyport.v1.SessionsService/Open`])).rejects.toMatchObject({
      stderr: expect.stringContaining("unauthenticated") as string,
    });
  });
});
