import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as Serving } from "../../src/gen/grpc/health/v1/health_pb.ts";
import { ApprovalsService } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { AuditService } from "../../src/gen/sallyport/v1/audit_pb.ts";
import { ExecService } from "../../src/gen/sallyport/v1/exec_pb.ts";
import { SessionsService } from "../../src/gen/sallyport/v1/sessions_pb.ts";
import { apiRoutes, completeRoutes } from "../../src/server/routes.ts";
import { callUnary, collect, failureOf, openBidi, openServerStream } from "./call.ts";
import { openClient, openServer, temporaryFolder } from "./open-server.ts";
import { smallRooms } from "./rooms.ts";

const forEver = 2 ** 30;

async function open() {
  const rooms = smallRooms(temporaryFolder());
  const opened = await openServer(completeRoutes(apiRoutes(rooms.ports)));
  return { ...opened, ...rooms, client: openClient(opened.socket) };
}

function start(text: string) {
  return {
    step: {
      case: "start" as const,
      value: { command: { form: { case: "shell" as const, value: text } }, stdin: true },
    },
  };
}

describe("a shutdown", () => {
  it("lets a command finish, and takes no further calls", async () => {
    const { server, socket, client, recorded } = await open();
    const call = openBidi(client, ExecService.method.run);
    const events = collect(call);
    call.write(start("cat; exit 4"));
    await once(call, "data");
    const drained = server.drain(forEver);
    expect(await failureOf(callUnary(openClient(socket), Health.method.check, {}))).toMatchObject({
      code: "UNAVAILABLE",
    });
    expect((await callUnary(client, Health.method.check, {})).status).toBe(Serving.NOT_SERVING);
    expect(await failureOf(callUnary(client, SessionsService.method.list, {}))).toMatchObject({
      code: "UNAVAILABLE",
      details: "the server is shutting down",
    });
    call.write({ step: { case: "stdin", value: Buffer.from("still here") } });
    call.end();
    expect((await events).at(-1)?.event).toMatchObject({ case: "exit", value: { status: { value: 4 } } });
    expect(await drained).toBe(0);
    expect(recorded[0]?.outcomes).toMatchObject([{ kind: "done" }]);
  });

  it("cuts what does not finish, and waits until it is cleaned up and recorded", async () => {
    const { server, client, recorded, sandbox } = await open();
    const call = openBidi(client, ExecService.method.run);
    call.on("error", () => {});
    call.write(start("sleep 1000"));
    await once(call, "data");
    expect(await server.drain(50)).toBe(1);
    expect(sandbox.alive.size).toBe(0);
    expect(recorded[0]?.outcomes).toMatchObject([{ kind: "failed" }]);
  });

  it("is not held up by those who only watch, and tells them", async () => {
    const { server, client } = await open();
    const watchers = [
      failureOf(collect(openServerStream(client, ApprovalsService.method.watch, {}))),
      failureOf(collect(openServerStream(client, AuditService.method.follow, {}))),
    ];
    // Answered after the two streams were opened on the same connection.
    await callUnary(client, Health.method.check, {});
    expect(await server.drain(forEver)).toBe(0);
    for (const watcher of watchers)
      expect(await watcher).toMatchObject({ code: "UNAVAILABLE", details: "the server is shutting down" });
  });

  it("happens once", async () => {
    const { server } = await open();
    expect(await Promise.all([server.drain(forEver), server.drain(0)])).toEqual([0, 0]);
  });
});
