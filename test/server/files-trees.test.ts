import { describe, expect, it } from "vitest";
import {
  ChangeKind,
  FilesService,
  type FilesServiceWatchResponse,
  SearchEnd,
} from "../../src/gen/sallyport/v1/files_pb.ts";
import { apiRoutes, completeRoutes } from "../../src/server/routes.ts";
import { callUnary, collect, failureOf, openClientStream, openServerStream } from "./call.ts";
import { openClient, openServer, temporaryFolder } from "./open-server.ts";
import { smallRooms } from "./rooms.ts";
import { until } from "./until.ts";

async function open() {
  const workspace = temporaryFolder();
  const rooms = smallRooms(workspace);
  const { server, socket } = await openServer(completeRoutes(apiRoutes(rooms.ports)));
  return { ...rooms, workspace, server, client: openClient(socket) };
}

const { search, list, watch, upload, download } = FilesService.method;

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

describe("Download", () => {
  it("sends a header, the archive, and what was left out", async () => {
    const { client, workspace, stored, recorded } = await open();
    stored.set(`${workspace}/a`, Buffer.from("x"));
    const got = await collect(openServerStream(client, download, { path: workspace }));
    expect(got.map(({ part }) => part.case)).toEqual(["header", "data", "trailer"]);
    const [header, data, trailer] = got.map(({ part }) => part.value);
    expect(header).toMatchObject({ entryId: "e1", info: { name: workspace } });
    expect(Buffer.from(data as Uint8Array).toString()).toBe(`archive of ${workspace}`);
    expect(trailer).toMatchObject({ entries: 2n, bytes: 5n, leftOutCount: 3n, leftOut: [{ name: "n\ufffd" }] });
    expect(recorded[0]?.outcomes).toEqual([{ kind: "done", facts: { entries: 2, bytes: 5, leftOut: 3 } }]);
  });
});

describe("Upload", () => {
  it("takes an archive in parts and tells what became of it", async () => {
    const { client, workspace, stored, recorded } = await open();
    const { stream, answer } = openClientStream(client, upload);
    stream.write({ part: { case: "start", value: { path: workspace } } });
    for (const part of ["ar", "chive"]) stream.write({ part: { case: "data", value: Buffer.from(part) } });
    stream.end();
    expect(await answer).toMatchObject({
      files: 1n,
      folders: 2n,
      links: 3n,
      bytes: 4n,
      leftOutCount: 1n,
      entryId: "e1",
      leftOut: [{ name: "a", reason: "it exists already" }],
    });
    expect(stored.get(workspace)?.toString()).toBe("archive");
    expect(recorded[0]?.outcomes[0]).toMatchObject({ facts: { files: 1, leftOut: 1 } });
  });

  it("keeps to the agent's bytes of a day", async () => {
    const { client, workspace, law } = await open();
    law.dayBytes = 10;
    const { stream, answer } = openClientStream(client, upload);
    stream.write({ part: { case: "start", value: { path: workspace } } });
    stream.write({ part: { case: "data", value: Buffer.alloc(11) } });
    stream.end();
    expect(await failureOf(answer)).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  });

  it.each([
    [[{ part: { case: "data", value: new Uint8Array(1) } }], "start: must be the first message"],
    [[{ part: { case: "start", value: { path: "a" } } }], "start.path: must be an absolute path"],
    [
      [{ part: { case: "start", value: { path: "/a" } } }, { part: { case: "start", value: { path: "/a" } } }],
      "start: was sent before",
    ],
    [[{ part: { case: "start", value: { path: "/a" } } }, {}], "part: must be set"],
  ] as const)("refuses what comes in the wrong order, %#", async (messages, reason) => {
    const { client } = await open();
    const { stream, answer } = openClientStream(client, upload);
    stream.on("error", () => {});
    for (const message of messages) stream.write(message);
    stream.end();
    expect(await failureOf(answer)).toMatchObject({ code: "INVALID_ARGUMENT", details: reason });
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
