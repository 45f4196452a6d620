import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FilesService, WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { apiRoutes, completeRoutes } from "../../src/server/routes.ts";
import { callUnary, failureOf, openClientStream } from "./call.ts";
import { openClient, openServer, temporaryFolder } from "./open-server.ts";
import { smallRooms } from "./rooms.ts";
import { until } from "./until.ts";

const { edit, move, copy, remove, write } = FilesService.method;

/** A server that asks before everything. */
async function open() {
  const workspace = temporaryFolder();
  const rooms = smallRooms(workspace);
  rooms.law.verdict = () => "ask";
  const opened = await openServer(completeRoutes(apiRoutes(rooms.ports)));
  const at = (name: string): string => join(workspace, name);
  return { ...rooms, at, client: openClient(opened.socket) };
}

describe("a question", () => {
  it("about an edit shows the diff, and what was shown is what is changed", async () => {
    const { client, at, asked, law } = await open();
    writeFileSync(at("f"), "a\nb\n");
    const request = { path: at("f"), replacements: [{ oldText: "a", newText: "A" }] };
    await callUnary(client, edit, request);
    expect(asked[0]?.preview).toEqual([
      { label: "what would change", text: `--- ${at("f")}\n+++ ${at("f")}\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n` },
    ]);
    // Somebody else writes while the person thinks: the edit would still fit, but it is not what was shown.
    law.answer = async () => writeFileSync(at("f"), "a\nother\n");
    writeFileSync(at("f"), "a\nb\n");
    expect(await failureOf(callUnary(client, edit, request))).toMatchObject({ code: "ABORTED" });
    expect(readFileSync(at("f"), "utf8")).toBe("a\nother\n");
  });

  it("about an edit that does not fit is not asked", async () => {
    const { client, at, asked, recorded } = await open();
    writeFileSync(at("f"), "a");
    const request = { path: at("f"), replacements: [{ oldText: "x", newText: "y" }] };
    expect(await failureOf(callUnary(client, edit, request))).toMatchObject({ code: "FAILED_PRECONDITION" });
    expect([asked, recorded.length]).toEqual([[], 1]);
  });

  it("about what the caller may not read is asked whatever is there, and tells only the person", async () => {
    const { client, at, asked, ports } = await open();
    Object.assign(ports.entries, { below: () => () => "ask" });
    const request = { path: at("gone"), replacements: [{ oldText: "x", newText: "y" }] };
    expect(await failureOf(callUnary(client, edit, request))).toMatchObject({ code: "NOT_FOUND" });
    expect(asked[0]?.preview).toEqual([
      { label: "note", text: `nobody could look at it: ${at("gone")}: no such file or folder` },
    ]);
  });

  it("about a removal, a move or a copy shows how much goes, and the first names", async () => {
    const { client, at, asked } = await open();
    mkdirSync(at("d"));
    for (let file = 0; file < 30; file += 1) writeFileSync(at(`d/${String(file).padStart(2, "0")}`), "x");
    writeFileSync(at("f"), "ff");
    await callUnary(client, copy, { from: at("d"), to: at("e"), recursive: true });
    await callUnary(client, move, { from: at("e"), to: at("g") });
    await callUnary(client, remove, { path: at("d"), recursive: true });
    await callUnary(client, remove, { path: at("f") });
    for (const question of asked.slice(0, 3)) {
      expect(question.preview?.[0]).toEqual({ label: "what goes", text: "31 files and folders, 30 bytes" });
      const names = question.preview?.[1]?.text.split("\n") ?? [];
      expect([names.length, names.at(-1), names.slice(0, -1).every((name) => /^\d\d$/.test(name))]).toEqual([
        21,
        "and 10 more",
        true,
      ]);
    }
    expect(asked[3]?.preview).toEqual([{ label: "what goes", text: "one entry, 2 bytes" }]);
    expect(await failureOf(callUnary(client, remove, { path: at("gone") }))).toMatchObject({ code: "NOT_FOUND" });
    expect(asked).toHaveLength(4);
  });

  it("about a write is asked once the content is there, and shows what it changes", async () => {
    const { client, at, asked } = await open();
    writeFileSync(at("f"), "a\nb\n");
    const { stream, answer } = openClientStream(client, write);
    stream.write({
      part: { case: "start", value: { path: at("f"), disposition: WriteDisposition.APPEND } },
    });
    stream.write({ part: { case: "data", value: Buffer.from("c") } });
    stream.write({ part: { case: "data", value: Buffer.from("d\n") } });
    stream.end();
    expect((await answer).bytes).toBe(3n);
    expect(asked.map(({ preview }) => preview)).toEqual([
      [{ label: "what would change", text: `--- ${at("f")}\n+++ ${at("f")}\n@@ -1,2 +1,3 @@\n a\n b\n+cd\n` }],
    ]);
  });

  it("about a long write shows its beginning, says that more follows, and is no other's question", async () => {
    const { client, at, asked, stored } = await open();
    const keys = new Set<string>();
    for (const fill of ["x", "x", "\0"]) {
      const { stream, answer } = openClientStream(client, write);
      stream.write({
        part: { case: "start", value: { path: at("f"), disposition: WriteDisposition.OVERWRITE } },
      });
      for (let part = 0; part < 4; part += 1)
        stream.write({ part: { case: "data", value: Buffer.from(fill.repeat(40_000)) } });
      await until(() => asked.length > keys.size);
      const question = asked.at(-1);
      keys.add(question?.operands ?? "");
      expect(question?.preview?.map(({ text }) => text.slice(0, 60))).toEqual([
        fill === "x" ? "x".repeat(60) : "80000 bytes that are no UTF-8 text",
        ...(fill === "x" ? ["the content is longer: its end is not shown"] : []),
        "more follows after these 80000 bytes, and nobody sees it here".slice(0, 60),
      ]);
      stream.end();
      expect((await answer).bytes).toBe(160_000n);
      expect(stored.get(at("f"))?.length).toBe(160_000);
    }
    expect(keys.size).toBe(3);
  });
});
