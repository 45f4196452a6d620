import { describe, expect, it } from "vitest";
import {
  ChangeKind,
  FilesService,
  type FilesServiceWatchResponse,
  SearchEnd,
} from "../../src/gen/sallyport/v1/files_pb.ts";
import { apiRoutes, completeRoutes } from "../../src/server/routes.ts";
import { callUnary, collect, failureOf, openServerStream } from "./call.ts";
import { openClient, openServer, temporaryFolder } from "./open-server.ts";
import { smallRooms } from "./rooms.ts";
import { until } from "./until.ts";

async function open() {
  const workspace = temporaryFolder();
  const rooms = smallRooms(workspace);
  const { server, socket } = await openServer(completeRoutes(apiRoutes(rooms.ports)));
  return { ...rooms, workspace, server, client: openClient(socket) };
}

const { search, list, watch } = FilesService.method;

describe("Search", () => {
  it("sends hits and a summary, and records how many", async () => {
    const { client, workspace, stored, recorded } = await open();
    stored.set(`${workspace}/a`, Buffer.from("x"));
    stored.set(`${workspace}/b\udcff`, Buffer.from("y"));
    const got = await collect(openServerStream(client, search, { path: workspace, pattern: "." }));
    expect(
      got.map(({ path, pathBytes, text, summary }) => [
        path,
        pathBytes.length,
        Buffer.from(text).toString(),
        summary?.end,
      ]),
    ).toEqual([
      [`${workspace}/a`, 0, "x", undefined],
      [`${workspace}/b\ufffd`, workspace.length + 3, "y", undefined],
      ["", 0, "", SearchEnd.COMPLETE],
    ]);
    expect(got.at(-1)?.summary).toMatchObject({ hits: 2n, entryId: "e1" });
    expect(recorded[0]?.outcomes).toEqual([{ kind: "done", facts: { hits: 2, end: "complete" } }]);
  });

  it.each([
    [{ path: "/a" }, "pattern: or glob must be set"],
    [{ path: "/a", pattern: "x".repeat(4097) }, "pattern: longer than 4096 bytes"],
    [{ path: "/a", glob: "x".repeat(1025) }, "glob: longer than 1024 bytes"],
    [{ path: "/a", pattern: "x", limit: 10_001 }, "limit: 10001 is not between 0 and 10000"],
    [{ path: "/a", pattern: "x", contextLines: 21 }, "context_lines: 21 is not between 0 and 20"],
    [{ pattern: "x" }, "path: must be set"],
    [{ path: "/a", pattern: "a\0b" }, "pattern: holds a NUL character"],
  ])("refuses %j", async (request, reason) => {
    const { client } = await open();
    const failure = await failureOf(collect(openServerStream(client, search, request)));
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", details: reason });
  });
});

describe("Watch", () => {
  it("is ready first, and then tells what happens until its caller leaves", async () => {
    const { client, workspace, recorded } = await open();
    const stream = openServerStream(client, watch, { path: workspace });
    stream.on("error", () => {});
    const got: FilesServiceWatchResponse[] = [];
    for await (const change of stream as AsyncIterable<FilesServiceWatchResponse>) {
      got.push(change);
      if (got.length === 3) break;
    }
    stream.cancel();
    expect(got.map(({ kind, overflow }) => [kind, overflow])).toEqual([
      [ChangeKind.READY, false],
      [ChangeKind.CHANGED, false],
      [ChangeKind.OVERFLOW, true],
    ]);
    expect(got[0]?.entryId).toBe("e1");
    expect([...(got[1]?.pathBytes ?? [])].at(-1)).toBe(0xff);
    await until(() => recorded[0]?.outcomes.length === 1);
    expect(recorded[0]?.outcomes[0]).toMatchObject({ facts: { changes: 2 } });
  });

  it("ends when the server shuts down", async () => {
    const { client, workspace, server } = await open();
    const failure = failureOf(collect(openServerStream(client, watch, { path: workspace })));
    await server.drain(10_000);
    expect(await failure).toMatchObject({ code: "UNAVAILABLE" });
  });
});

describe("List", () => {
  it("says where the next page begins", async () => {
    const { client, workspace, stored } = await open();
    for (const name of ["a", "b", "c"]) stored.set(`${workspace}/${name}`, Buffer.from("x"));
    const first = await callUnary(client, list, { path: workspace, limit: 2 });
    expect([first.truncated, first.nextCursor]).toEqual([true, `after ${workspace}/b`]);
    const whole = await callUnary(client, list, { path: workspace });
    expect([whole.truncated, whole.nextCursor]).toEqual([false, ""]);
  });
});
