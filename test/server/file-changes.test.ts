import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileKind, FilesService, WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { apiRoutes, completeRoutes } from "../../src/server/routes.ts";
import { bearer, callUnary, collect, failureOf, openClientStream, openServerStream } from "./call.ts";
import { openClient, openServer, temporaryFolder } from "./open-server.ts";
import { smallRooms } from "./rooms.ts";

async function open() {
  const workspace = temporaryFolder();
  const rooms = smallRooms(workspace);
  const opened = await openServer(completeRoutes(apiRoutes(rooms.ports)));
  const at = (name: string): string => join(workspace, name);
  return { ...opened, ...rooms, workspace, at, client: openClient(opened.socket) };
}

const agent = bearer("good");
const { read, write, edit, move, copy, remove, makeDirectory, listTrash, restore, emptyTrash } = FilesService.method;

describe("changes of files", () => {
  it("edit by replacements and by a patch, and give the diff back", async () => {
    const { client, at, recorded } = await open();
    writeFileSync(at("f"), "one\ntwo\nthree\n");
    const first = await callUnary(client, edit, { path: at("f"), replacements: [{ oldText: "two", newText: "2" }] });
    expect(first.diff).toBe(`--- ${at("f")}\n+++ ${at("f")}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n`);
    expect(first).toMatchObject({ diffTruncated: false, info: { name: at("f"), kind: FileKind.FILE, size: 12n } });
    await callUnary(client, edit, { path: at("f"), patch: first.diff.replace("-two\n+2", "-2\n+zwei") });
    expect(readFileSync(at("f"), "utf8")).toBe("one\nzwei\nthree\n");
    expect(recorded.map(({ entry, outcomes }) => [entry.intent.kind, outcomes])).toEqual([
      ["edit", [{ kind: "done", facts: { bytes: 12 } }]],
      ["edit", [{ kind: "done", facts: { bytes: 15 } }]],
    ]);
    expect(first.entryId).toBe(recorded[0]?.id);
    expect(JSON.stringify(recorded[0]?.entry.intent)).not.toContain("two");
  });

  it("make, copy, move, remove, list what was removed, and restore it", async () => {
    const { client, at, recorded } = await open();
    const made = await callUnary(client, makeDirectory, { path: at("d/e"), parents: true, mode: 0o750 });
    expect(made).toMatchObject({ created: true, info: { name: at("d/e"), mode: 0o750 } });
    writeFileSync(at("d/f"), "content");
    expect(await callUnary(client, copy, { from: at("d"), to: at("c"), recursive: true })).toMatchObject({
      entries: 3n,
      bytes: 7n,
    });
    await callUnary(client, move, { from: at("c/f"), to: at("g") });
    const { trashId, entries } = await callUnary(client, remove, { path: at("d"), recursive: true });
    expect([entries, readdirSync(at("")).filter((name) => !name.startsWith("."))]).toEqual([3n, ["c", "g"]]);
    const listed = await callUnary(client, listTrash, {});
    expect(listed).toMatchObject({
      truncated: false,
      entries: [{ id: trashId, path: at("d"), kind: FileKind.FOLDER, entries: 3n, bytes: 7n, agent: "local" }],
    });
    expect(await callUnary(client, restore, { trashId })).toMatchObject({ info: { name: at("d") } });
    expect([readFileSync(at("d/f"), "utf8"), (await callUnary(client, listTrash, {})).entries]).toEqual([
      "content",
      [],
    ]);
    expect(recorded.map(({ entry, outcomes }) => [entry.intent.kind, outcomes[0]?.kind])).toEqual(
      ["make-directory", "copy", "move", "remove", "restore"].map((kind) => [kind, "done"]),
    );
  });

  it("delete for good what lies in the trash: an agent's own, or an admin's choice", async () => {
    const { client, at, recorded, law } = await open();
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) {
      writeFileSync(at(name), name);
      const { trashId } = await callUnary(client, remove, { path: at(name) }, ...(name === "c" ? [] : [agent]));
      ids.push(trashId);
    }
    const left = async (): Promise<string[]> =>
      (await callUnary(client, listTrash, {})).entries.map(({ id }) => id).toReversed();
    expect(await callUnary(client, emptyTrash, { olderThanSeconds: 3600n })).toMatchObject({
      deleted: 0n,
      entryId: "",
    });
    expect(await callUnary(client, emptyTrash, { agent: "local" }, agent)).toMatchObject({ deleted: 0n });
    law.verdict = ({ kind }) => (kind === "empty-trash" ? "deny" : "allow");
    expect(await failureOf(callUnary(client, emptyTrash, {}, agent))).toMatchObject({ code: "PERMISSION_DENIED" });
    expect(await left()).toEqual(ids);
    law.verdict = () => "allow";
    expect(await callUnary(client, emptyTrash, {}, agent)).toMatchObject({ deleted: 2n, bytes: 2n, left: 0n });
    expect(await left()).toEqual(ids.slice(2));
    expect(await failureOf(callUnary(client, restore, { trashId: ids[0] ?? "" }, agent))).toMatchObject({
      code: "NOT_FOUND",
    });
    const { deleted, entryId } = await callUnary(client, emptyTrash, {});
    expect([deleted, await left()]).toEqual([1n, []]);
    expect(recorded.at(-1)).toMatchObject({
      id: entryId,
      entry: { intent: { kind: "empty-trash", entries: [{ id: ids[2], path: at("c"), folder: false }] } },
      outcomes: [{ kind: "done", facts: { entries: 1 } }],
    });
  });

  it("show an agent what it removed itself only, and let it restore nothing else", async () => {
    const { client, at } = await open();
    for (const name of ["a", "b"]) writeFileSync(at(name), name);
    const { trashId } = await callUnary(client, remove, { path: at("a") });
    const own = await callUnary(client, remove, { path: at("b") }, agent);
    expect((await callUnary(client, listTrash, {}, agent)).entries.map(({ id }) => id)).toEqual([own.trashId]);
    expect((await callUnary(client, listTrash, {})).entries.map(({ id }) => id)).toEqual([own.trashId, trashId]);
    expect(await callUnary(client, listTrash, { limit: 1 })).toMatchObject({
      truncated: true,
      entries: [{ id: own.trashId }],
    });
    expect(await failureOf(callUnary(client, restore, { trashId }, agent))).toMatchObject({ code: "NOT_FOUND" });
    await callUnary(client, restore, { trashId: own.trashId, to: at("b2") }, agent);
    expect(readFileSync(at("b2"), "utf8")).toBe("b");
  });

  it("are done only where they are allowed", async () => {
    const { client, at, law } = await open();
    writeFileSync(at("f"), "f");
    law.verdict = () => "deny";
    for (const call of [
      () => callUnary(client, edit, { path: at("f"), replacements: [{ oldText: "f", newText: "g" }] }),
      () => callUnary(client, move, { from: at("f"), to: at("g") }),
      () => callUnary(client, copy, { from: at("f"), to: at("g") }),
      () => callUnary(client, remove, { path: at("f") }),
      () => callUnary(client, makeDirectory, { path: at("d") }),
    ])
      expect(await failureOf(call())).toMatchObject({ code: "PERMISSION_DENIED" });
    expect([readdirSync(at("")), readFileSync(at("f"), "utf8")]).toEqual([["f"], "f"]);
  });

  it("refuse what is no request, and name the field", async () => {
    const { client, at } = await open();
    const path = at("f");
    const change = [{ oldText: "a", newText: "b" }];
    const cases: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => callUnary(client, edit, { path: "f", replacements: change }), "path"],
      [() => callUnary(client, edit, { path }), "replacements"],
      [() => callUnary(client, edit, { path, replacements: change, patch: "x" }), "patch"],
      [() => callUnary(client, edit, { path, replacements: change, fuzz: 1 }), "fuzz"],
      [() => callUnary(client, edit, { path, patch: "x", fuzz: 3 }), "fuzz"],
      [
        () => callUnary(client, edit, { path, replacements: [{ oldText: "", newText: "b" }] }),
        "replacements[0].old_text",
      ],
      [
        () => callUnary(client, edit, { path, replacements: Array.from({ length: 257 }, () => change).flat() }),
        "replacements",
      ],
      [() => callUnary(client, move, { from: path, to: "" }), "to"],
      [() => callUnary(client, copy, { from: "", to: path }), "from"],
      [() => callUnary(client, remove, { path, pathBytes: Buffer.from(path) }), "path_bytes"],
      [() => callUnary(client, makeDirectory, { path, mode: 0o1000 }), "mode"],
      [() => callUnary(client, restore, { trashId: "../x" }), "trash_id"],
      [() => callUnary(client, listTrash, { limit: 10_001 }), "limit"],
      [() => callUnary(client, emptyTrash, { agent: "A b" }), "agent"],
    ];
    for (const [call, field] of cases) {
      const failure = await failureOf(call());
      expect([failure.code, failure.details.startsWith(`${field}:`)]).toEqual(["INVALID_ARGUMENT", true]);
    }
  });

  it("say which path failed, and why", async () => {
    const { client, at } = await open();
    mkdirSync(at("d/x"), { recursive: true });
    writeFileSync(at("f"), "a a");
    const cases = [
      [() => callUnary(client, remove, { path: at("gone") }), "NOT_FOUND", at("gone")],
      [() => callUnary(client, remove, { path: at("d") }), "FAILED_PRECONDITION", at("d")],
      [() => callUnary(client, move, { from: at("f"), to: at("d") }), "ALREADY_EXISTS", at("d")],
      [() => callUnary(client, makeDirectory, { path: at("f/x") }), "FAILED_PRECONDITION", at("f")],
      [
        () => callUnary(client, edit, { path: at("f"), replacements: [{ oldText: "a", newText: "b" }] }),
        "FAILED_PRECONDITION",
        "it is there 2 times, and once was expected",
      ],
    ] as const;
    for (const [call, code, text] of cases) {
      const failure = await failureOf(call());
      expect([failure.code, failure.details.includes(text)]).toEqual([code, true]);
    }
  });

  it("take paths by their bytes", async () => {
    const { client, at } = await open();
    const odd = Buffer.concat([Buffer.from(at("")), Buffer.from([0x2f, 0xff])]);
    await callUnary(client, makeDirectory, { pathBytes: odd });
    const { trashId } = await callUnary(client, remove, { pathBytes: odd });
    const { entries } = await callUnary(client, listTrash, {});
    expect(Buffer.from(entries[0]?.pathBytes ?? [])).toEqual(odd);
    await callUnary(client, restore, { trashId });
    expect(readdirSync(at(""), { encoding: "buffer" })).toContainEqual(Buffer.from([0xff]));
  });

  it("end where an agent has had its bytes for today, and leave nothing half", async () => {
    const { client, at, law, stored } = await open();
    writeFileSync(at("f"), "12345");
    law.dayBytes = 9;
    await callUnary(client, copy, { from: at("f"), to: at("g") });
    const exhausted = { code: "RESOURCE_EXHAUSTED", details: "no bytes are left today" };
    expect(await failureOf(callUnary(client, copy, { from: at("f"), to: at("h") }))).toMatchObject(exhausted);
    const change = { path: at("f"), replacements: [{ oldText: "1", newText: "one" }] };
    expect(await failureOf(callUnary(client, edit, change))).toMatchObject(exhausted);
    expect([readdirSync(at("")).filter((name) => !name.startsWith(".")), readFileSync(at("f"), "utf8")]).toEqual([
      ["f", "g"],
      "12345",
    ]);
    const { stream, answer } = openClientStream(client, write);
    stream.write({ part: { case: "start", value: { path: at("w"), disposition: WriteDisposition.OVERWRITE } } });
    stream.write({ part: { case: "data", value: Buffer.from("1234") } });
    stream.write({ part: { case: "data", value: Buffer.from("5") } });
    stream.end();
    expect(await failureOf(answer)).toMatchObject(exhausted);
    expect(stored.has(at("w"))).toBe(false);
    law.dayBytes = 4;
    stored.set(at("f"), Buffer.from("12345"));
    expect(await failureOf(collect(openServerStream(client, read, { path: at("f") })))).toMatchObject(exhausted);
  });
});
