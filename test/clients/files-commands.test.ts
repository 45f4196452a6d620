import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FileKind, FilesService } from "../../src/gen/sallyport/v1/files_pb.ts";
import { Problem } from "../../src/model/problem.ts";
import { jsonLines, runCli } from "./support/run-cli.ts";
import { mount, startTestServer, type TestServer } from "./support/test-server.ts";

const requests: object[] = [];
const diff = "--- /f\n+++ /f\n@@ -1 +1 @@\n-a\tb\n+c\n";
let server: TestServer;
let folder: string;

function seen<T extends object>(request: T): T {
  requests.push(request);
  return request;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-cli-files-"));
  server = await startTestServer(
    mount(FilesService, {
      edit: (request) => {
        seen(request);
        return { diff, entryId: "e1", info: { name: request.path }, diffTruncated: request.path === "/long" };
      },
      move: (request) => {
        seen(request);
        return { entryId: "e2" };
      },
      copy: (request) => {
        seen(request);
        return { entries: 3n, bytes: 7n, entryId: "e3" };
      },
      remove: (request) => {
        if (seen(request).path === "/kept") throw new Problem("failed_precondition", "/kept: the folder is not empty");
        return { trashId: "0123", entries: 1n, entryId: "e4" };
      },
      makeDirectory: (request) => {
        seen(request);
        return { created: true, info: { name: request.path } };
      },
      listTrash: (request) => {
        seen(request);
        const [removedAt, expiresAt] = ["2026-11-30T10:00:00.000Z", "2026-12-07T10:00:00.000Z"];
        const entry = { id: "0123", path: "/a\u001b[31m", kind: FileKind.FOLDER, entries: 3n, bytes: 7n };
        return { truncated: true, entries: [{ ...entry, agent: "bot", removedAt, expiresAt }] };
      },
      emptyTrash: (request) => {
        seen(request);
        return { deleted: 2n, bytes: 30n, left: request.agent === "bot" ? 1n : 0n };
      },
      restore: (request) => {
        seen(request);
        return { info: { name: request.to === "" ? "/a" : request.to } };
      },
    }),
  );
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  requests.length = 0;
});

const cli = (args: readonly string[], input = "") => runCli(["files", ...args, "--socket", server.socket], input);

describe("files edit", () => {
  test("replaces texts in order, and prints the diff as it is", async () => {
    const { code, out } = await cli([
      "edit",
      "f",
      "--old",
      "a",
      "--new",
      "b",
      "--old",
      "b",
      "--new",
      "",
      "--count",
      "2",
    ]);
    expect([code, out]).toEqual([0, diff]);
    expect(requests).toMatchObject([
      {
        path: resolve("f"),
        replacements: [
          { oldText: "a", newText: "b", expectedCount: 2 },
          { oldText: "b", newText: "", expectedCount: 2 },
        ],
      },
    ]);
  });

  test("applies a diff from standard input or a file", async () => {
    const file = join(folder, "p");
    await writeFile(file, diff);
    expect((await cli(["edit", "/f"], diff)).code).toBe(0);
    expect((await cli(["edit", "/f", "--patch", file, "--fuzz", "2"])).code).toBe(0);
    expect(requests).toMatchObject([
      { patch: diff, fuzz: 0, replacements: [] },
      { patch: diff, fuzz: 2 },
    ]);
  });

  test("says where the diff was cut, and prints JSON Lines", async () => {
    const { code, out, err } = await cli(["edit", "/long", "--json"], diff);
    expect([code, jsonLines(out)]).toMatchObject([0, [{ diff, diffTruncated: true, entryId: "e1" }]]);
    expect(err).toContain("longer than can be shown");
  });

  test.each([
    [["edit", "/f", "--old", "a"], "--new"],
    [["edit", "/f", "--old", "a", "--new", "b", "--patch", "x"], "--patch"],
    [["edit", "/f", "--fuzz", "3"], "0, 1 or 2"],
    [["edit", "/f", "--old", "a", "--new", "b", "--count", "0"], "whole number"],
  ])("refuses %j", async (args, text) => {
    const { code, err } = await cli(args);
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
    expect(requests).toEqual([]);
  });
});

describe("files mv, cp, rm and mkdir", () => {
  test("give the new name itself", async () => {
    expect((await cli(["mv", "a", "b", "-f"])).code).toBe(0);
    expect((await cli(["cp", "-r", "a", "b", "--json"])).out).toBe('{"entries":"3","bytes":"7","entryId":"e3"}\n');
    expect(requests).toMatchObject([
      { from: resolve("a"), to: resolve("b"), overwrite: true },
      { from: resolve("a"), to: resolve("b"), overwrite: false, recursive: true },
    ]);
  });

  test("remove one by one, and say how to come back", async () => {
    const { code, out, err } = await cli(["rm", "/a", "/kept", "/b"]);
    expect([code, out]).toEqual([1, "0123  /a\n"]);
    expect(err).toContain("/kept: the folder is not empty");
    expect((await cli(["rm", "-r", "/a", "--json"])).out).toBe('{"trashId":"0123","entries":"1","entryId":"e4"}\n');
    expect(requests).toMatchObject([{ recursive: false }, { path: "/kept" }, { path: "/a", recursive: true }]);
  });

  test("make folders", async () => {
    expect((await cli(["mkdir", "-p", "/a/b", "/c", "--permissions", "750"])).code).toBe(0);
    expect((await cli(["mkdir", "/a", "--permissions", "9"])).code).toBe(2);
    expect(requests).toMatchObject([
      { path: "/a/b", parents: true, mode: 0o750 },
      { path: "/c", parents: true, mode: 0o750 },
    ]);
  });
});

describe("files trash", () => {
  test("lists what was removed, safe for a terminal, and restores it", async () => {
    const { out, err } = await cli(["trash", "list", "--limit", "1"]);
    expect(out.split("\n")[1]).toBe(
      String.raw`0123  2026-11-30 10:00:00  2026-12-07 10:00:00  bot    folder  3        7      /a\u{1b}[31m`,
    );
    expect(err).toContain("more entries");
    expect((await cli(["trash", "restore", "0123"])).out).toBe("/a\n");
    expect((await cli(["trash", "restore", "0123", "--to", "/b"])).out).toBe("/b\n");
    expect(requests).toMatchObject([{ limit: 1 }, { trashId: "0123", to: "" }, { trashId: "0123", to: "/b" }]);
  });

  test("is emptied, of all or of what is old", async () => {
    expect(await cli(["trash", "empty"])).toMatchObject({ code: 0, out: "2 deleted, 30 bytes\n", err: "" });
    const { err } = await cli(["trash", "empty", "--older-than", "7d", "--agent", "bot"]);
    expect(err).toBe("sallyport: 1 more are left; ask again\n");
    expect(requests).toMatchObject([
      { olderThanSeconds: 0n, agent: "" },
      { olderThanSeconds: 604_800n, agent: "bot" },
    ]);
    for (const age of ["0d", "7", "1w", "-1d", ""])
      expect((await cli(["trash", "empty", "--older-than", age])).code).toBe(2);
  });
});
