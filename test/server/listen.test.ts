import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { Client, credentials } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as Serving } from "../../src/gen/grpc/health/v1/health_pb.ts";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import { isLoopback } from "../../src/server/listen/listen-on-tcp.ts";
import { completeRoutes } from "../../src/server/routes.ts";
import { type ServerSetup, startServer } from "../../src/server/start-server.ts";
import { testAuthority, testCertificate, testKey } from "../egress/support/certificates.ts";
import { callUnary, failureOf } from "./call.ts";
import { inside, keptLog, openClient, openServer, sure, temporaryFolder, tokens } from "./open-server.ts";

const routes = completeRoutes([]);
const { check } = Health.method;

async function start(more: Partial<ServerSetup>) {
  const server = await startServer({ routes, tokens, log: keptLog().log, socket: undefined, tcp: undefined, ...more });
  onTestFinished(async () => void (await server.drain(0)));
  return server;
}

function refusal(more: Partial<ServerSetup>): Promise<unknown> {
  return start(more).then(
    () => "it started",
    (error: unknown) => error,
  );
}

/** Runs a script in a Node of its own until it prints a line. */
async function other(script: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
    cwd: new URL("../..", import.meta.url),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(sure(child.stdout), "data");
  return child;
}

const serveAt = (socket: AbsolutePath): string => `
  import { startServer } from "./src/server/start-server.ts";
  import { completeRoutes } from "./src/server/routes.ts";
  import { pino } from "pino";
  const log = pino({ level: "silent" });
  await startServer({ routes: completeRoutes([]), tokens: { authenticate() {} }, log, socket: ${JSON.stringify(socket)}, tcp: undefined });
  console.log("serves");
`;

describe("the unix socket", () => {
  it("is for its owner alone, in a folder that is made so", async () => {
    const socket = inside(temporaryFolder(), "a/b/s.sock");
    const before = process.umask();
    await start({ socket });
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(inside(socket, "..")).mode & 0o777).toBe(0o700);
    expect(statSync(`${socket}.lock`).mode & 0o777).toBe(0o600);
    expect(process.umask()).toBe(before);
  });

  it("is refused to a second server of this process, and free again after the first", async () => {
    const socket = inside(temporaryFolder(), "s.sock");
    const first = await start({ socket });
    expect(await refusal({ socket })).toMatchObject({
      code: "failed_precondition",
      message: `another Sallyport already serves ${socket}`,
    });
    // The refused one must not have dropped the first one's lock.
    expect(await refusal({ socket })).toMatchObject({ code: "failed_precondition" });
    await callUnary(openClient(`unix:${socket}`), check, {});
    await first.drain(0);
    expect(existsSync(socket)).toBe(false);
    await start({ socket });
    await callUnary(openClient(`unix:${socket}`), check, {});
  });

  it("is refused while another process serves it, and taken over from a killed one", async () => {
    const socket = inside(temporaryFolder(), "s.sock");
    const child = await other(serveAt(socket));
    expect(await refusal({ socket })).toMatchObject({ message: `another Sallyport already serves ${socket}` });
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    expect(existsSync(socket)).toBe(true);
    await start({ socket });
    const { status } = await callUnary(openClient(`unix:${socket}`), check, {});
    expect(status).toBe(Serving.SERVING);
  });

  it("never takes the place of another program's, nor of a file", async () => {
    const folder = temporaryFolder();
    const taken = inside(folder, "taken.sock");
    const program = createServer(() => {}).listen(taken);
    onTestFinished(() => void program.close());
    await once(program, "listening");
    expect(await refusal({ socket: taken })).toMatchObject({ message: `another program listens on ${taken}` });
    expect(existsSync(taken)).toBe(true);
    const file = inside(folder, "file");
    writeFileSync(file, "keep");
    expect(await refusal({ socket: file })).toMatchObject({ message: `${file} exists and is no socket` });
    const link = inside(folder, "link");
    symlinkSync(taken, link);
    expect(await refusal({ socket: link })).toMatchObject({ message: `${link} exists and is no socket` });
  });

  it("is not opened in a folder that others may write to, nor at too long a path", async () => {
    const folder = inside(temporaryFolder(), "open");
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    expect(await refusal({ socket: inside(folder, "s") })).toMatchObject({
      message: `others may write to the socket's folder ${folder}: chmod 700 it`,
    });
    expect(await refusal({ socket: inside(folder, "x".repeat(108)) })).toMatchObject({
      message: expect.stringContaining("longer than 107 bytes"),
    });
    chmodSync(folder, 0o755);
    const below = inside(folder, "below");
    mkdirSync(below);
    chmodSync(folder, 0o777);
    expect(await refusal({ socket: inside(below, "s") })).toMatchObject({
      message: `everybody may replace what is in ${folder}, and with it the socket`,
    });
    const file = inside(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(await refusal({ socket: inside(file, "s") })).toMatchObject({
      code: "failed_precondition",
      message: `cannot make the socket's folder ${file}`,
    });
  });

  it("says that a lock that cannot be made is no other server", async () => {
    const folder = temporaryFolder();
    mkdirSync(`${folder}/s.lock`);
    expect(await refusal({ socket: inside(folder, "s") })).toMatchObject({ message: `cannot lock ${folder}/s.lock` });
  });

  it("does not stay open where the second listener fails", async () => {
    const socket = inside(temporaryFolder(), "s.sock");
    const tcp = { host: "0.0.0.0", port: 0, authentication: true };
    expect(await refusal({ socket, tcp })).toMatchObject({ code: "failed_precondition" });
    expect(existsSync(socket)).toBe(false);
    await start({ socket });
  });
});

describe("TCP", () => {
  it.each(["127.0.0.1", "127.9.8.7", "localhost", "::1"])("is open on %s", async (host) => {
    const server = await start({ tcp: { host, port: 0, authentication: false } });
    await callUnary(openClient(sure(server.addresses[0])), check, {});
  });

  it.each([
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "::ffff:10.0.0.1",
    "example.com",
    "localhost.example.com",
    "127.1",
    "2130706433",
    "0x7f000001",
    "127.0.0.1.",
    "",
    "localhost\0.example.com",
  ])("is refused on %j without TLS, without authentication, and without both", async (host) => {
    const folder = temporaryFolder();
    const tls = { certFile: `${folder}/cert`, keyFile: `${folder}/key` };
    writeFileSync(tls.certFile, testCertificate);
    writeFileSync(tls.keyFile, testKey);
    for (const tcp of [
      { host, port: 0, authentication: true },
      { host, port: 0, authentication: false },
      { host, port: 0, authentication: false, tls },
    ])
      expect(await refusal({ tcp })).toMatchObject({
        code: "failed_precondition",
        message: expect.stringContaining("TLS and authentication must both be set"),
      });
  });

  it("knows loopback addresses in every spelling", () => {
    expect(["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "localhost"].every(isLoopback)).toBe(true);
    expect(["128.0.0.1", "126.255.255.255", "::2", "LOCALHOST.", "ip6-localhost"].some(isLoopback)).toBe(false);
  });

  it("is refused on a port that is taken", async () => {
    const first = await start({ tcp: { host: "127.0.0.1", port: 0, authentication: true } });
    const port = Number(sure(first.addresses[0]).split(":")[1]);
    expect(await refusal({ tcp: { host: "127.0.0.1", port, authentication: true } })).toMatchObject({
      code: "failed_precondition",
      message: `cannot listen on 127.0.0.1:${port}: another program has this address`,
    });
  });

  it("speaks TLS with the configured certificate, and nothing else then", async () => {
    const folder = temporaryFolder();
    const tls = { certFile: `${folder}/cert`, keyFile: `${folder}/key` };
    writeFileSync(tls.certFile, testCertificate);
    writeFileSync(tls.keyFile, testKey);
    const server = await start({ tcp: { host: "127.0.0.1", port: 0, authentication: true, tls } });
    const [address] = server.addresses;
    const client = new Client(sure(address), credentials.createSsl(Buffer.from(testAuthority)), {
      "grpc.ssl_target_name_override": "ok.test",
    });
    onTestFinished(() => client.close());
    expect((await callUnary(client, check, {})).status).toBe(Serving.SERVING);
    expect(await failureOf(callUnary(openClient(sure(address)), check, {}))).toMatchObject({ code: "UNAVAILABLE" });
  });

  it("is refused where its certificate or key is missing, no PEM, or not a pair", async () => {
    const folder = temporaryFolder();
    const [cert, key, junk] = [`${folder}/cert`, `${folder}/key`, `${folder}/junk`];
    writeFileSync(cert, testCertificate);
    writeFileSync(key, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    writeFileSync(junk, "junk");
    const at = (certFile: string, keyFile: string) =>
      refusal({ tcp: { host: "127.0.0.1", port: 0, authentication: true, tls: { certFile, keyFile } } });
    expect(await at(`${folder}/none`, key)).toMatchObject({ message: `cannot read ${folder}/none` });
    expect(await at(junk, key)).toMatchObject({ message: `${junk} holds no CERTIFICATE in PEM form` });
    expect(await at(cert, junk)).toMatchObject({ message: `${junk} holds no PRIVATE KEY in PEM form` });
    expect(await at(cert, key)).toMatchObject({ message: `${cert} and ${key} are no usable certificate and key` });
  });

  it("is refused where no listener is configured at all", async () => {
    expect(await refusal({})).toMatchObject({ code: "failed_precondition" });
  });
});

describe("listeners", () => {
  it("are left in peace by connections that do not speak HTTP/2", async () => {
    const { tcp, socket } = await openServer(routes);
    const port = Number(tcp.split(":")[1]);
    for (const options of [{ port, host: "127.0.0.1" }, { path: socket.slice("unix:".length) }]) {
      const stranger = connect(options);
      stranger.on("error", () => {});
      stranger.resume();
      stranger.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      await once(stranger, "close");
    }
    for (const address of [tcp, socket]) await callUnary(openClient(address), check, {});
  });
});
