import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as Serving } from "../../src/gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "../../src/gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as Alpha } from "../../src/gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { apiServices, completeRoutes } from "../../src/server/routes.ts";
import { callUnary, collect, failureOf, openBidi, openServerStream } from "./call.ts";
import { buf, openClient, openServer } from "./open-server.ts";

const run = promisify(execFile);
const exec = "sallyport.v1.ExecService";

describe("health", () => {
  it("serves each service to callers without a token", async () => {
    const { tcp, socket } = await openServer(completeRoutes([]));
    for (const address of [tcp, socket])
      for (const service of ["", exec]) {
        const answer = await callUnary(openClient(address), Health.method.check, { service });
        expect(answer.status).toBe(Serving.SERVING);
      }
  });

  it("does not know other services", async () => {
    const { socket } = await openServer(completeRoutes([]));
    const client = openClient(socket);
    expect(await failureOf(callUnary(client, Health.method.check, { service: "x.Y" }))).toMatchObject({
      code: "NOT_FOUND",
    });
    const watch = openServerStream(client, Health.method.watch, { service: "x.Y" });
    const first = await new Promise<{ status: Serving }>((resolve) => watch.once("data", resolve));
    expect(first.status).toBe(Serving.SERVICE_UNKNOWN);
    watch.on("error", () => {});
    watch.cancel();
  });

  it("lists all", async () => {
    const { socket } = await openServer(completeRoutes([]));
    const { statuses } = await callUnary(openClient(socket), Health.method.list, {});
    expect(Object.keys(statuses).sort()).toEqual(["", ...apiServices.map((service) => service.typeName)].sort());
  });

  it("tells watchers of the shutdown and lets go of them", async () => {
    const { server, socket } = await openServer(completeRoutes([]));
    const watch = openServerStream(openClient(socket), Health.method.watch, { service: "" });
    const all = collect(watch);
    await new Promise((resolve) => watch.once("data", resolve));
    // A grace time without end: only a watcher that lets go makes this return.
    expect(await server.drain(2 ** 30)).toBe(0);
    expect((await all).map((each) => each.status)).toEqual([Serving.SERVING, Serving.NOT_SERVING]);
  });
});

describe("a part of health", () => {
  it("is a detail with a name of its own, whose changes watchers are told", async () => {
    let well = true;
    const changes = new EventTarget();
    const part = {
      name: "sallyport.permissions",
      well: () => well,
      follow: (changed: () => void, signal: AbortSignal) => changes.addEventListener("changed", changed, { signal }),
    };
    const { server, socket } = await openServer(completeRoutes([], [part]));
    const client = openClient(socket);
    const watch = openServerStream(client, Health.method.watch, { service: part.name });
    const seen: Serving[] = [];
    const all = collect(watch);
    watch.on("data", ({ status }: { status: Serving }) => {
      seen.push(status);
      if (seen.length > 3) return;
      well = !well;
      changes.dispatchEvent(new Event("changed"));
    });
    while (seen.length < 3) await new Promise((resolve) => watch.once("data", resolve));
    expect(seen.slice(0, 3)).toEqual([Serving.SERVING, Serving.NOT_SERVING, Serving.SERVING]);
    well = false;
    expect((await callUnary(client, Health.method.check, { service: part.name })).status).toBe(Serving.NOT_SERVING);
    expect((await callUnary(client, Health.method.check, { service: "" })).status).toBe(Serving.SERVING);
    await server.drain(2 ** 30);
    expect((await all).at(-1)?.status).toBe(Serving.NOT_SERVING);
  });
});

describe("reflection", () => {
  it.each([
    ["v1", ServerReflection.method.serverReflectionInfo],
    // The same message by another package's name.
    ["v1alpha", Alpha.method.serverReflectionInfo as unknown as typeof ServerReflection.method.serverReflectionInfo],
  ])("%s answers each question in its order", async (_version, method) => {
    const { tcp } = await openServer(completeRoutes([]));
    const call = openBidi(openClient(tcp), method);
    const answers = collect(call);
    call.write({ messageRequest: { case: "listServices", value: "" } });
    for (const symbol of [
      exec,
      `${exec}.Run`,
      "sallyport.v1.Denial",
      "sallyport.v1.Denial.effect",
      "sallyport.v1.Mode",
    ])
      call.write({ messageRequest: { case: "fileContainingSymbol", value: symbol } });
    call.write({ messageRequest: { case: "fileByFilename", value: "sallyport/v1/policy.proto" } });
    call.write({ messageRequest: { case: "fileContainingSymbol", value: "sallyport.v1.Nothing" } });
    call.write({ messageRequest: { case: "fileByFilename", value: "/etc/passwd" } });
    call.write({ messageRequest: { case: "allExtensionNumbersOfType", value: "sallyport.v1.Denial" } });
    call.write({ messageRequest: { case: "allExtensionNumbersOfType", value: "no.Type" } });
    call.write({
      messageRequest: { case: "fileContainingExtension", value: { containingType: "a.B", extensionNumber: 3 } },
    });
    call.write({});
    call.end();
    const seen = (await answers).map(({ messageResponse: found }) => {
      if (found.case === "errorResponse") return found.value.errorCode;
      if (found.case === "fileDescriptorResponse") return found.value.fileDescriptorProto.length;
      if (found.case === "listServicesResponse") return found.value.service.map(({ name }) => name);
      return found.case;
    });
    expect(seen[0]).toContain(exec);
    expect(seen[0]).toContain("grpc.health.v1.Health");
    // The policy brings what it imports: the words of all, of commands and of files.
    expect(seen.slice(1)).toEqual([1, 1, 1, 1, 1, 4, 5, 5, "allExtensionNumbersResponse", 5, 5, 3]);
  });

  it("lets `buf curl` work without files over TCP and over the unix socket", async () => {
    const { tcp, socket } = await openServer(completeRoutes([]));
    const places = [[`http://${tcp}`], ["--unix-socket", socket.slice("unix:".length), "http://localhost"]];
    for (const place of places) {
      const flags = ["curl", "--protocol", "grpc", "--http2-prior-knowledge"];
      const target = place.at(-1) ?? "";
      const before = place.slice(0, -1);
      const listed = await run(buf, [...flags, ...before, "--list-methods", target]);
      expect(listed.stdout).toContain("sallyport.v1.ExecService/Run");
      const health = await run(buf, [...flags, ...before, `${target}/grpc.health.v1.Health/Check`]);
      expect(JSON.parse(health.stdout)).toEqual({ status: "SERVING" });
    }
  });
});
