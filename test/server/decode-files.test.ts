import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import {
  FileSort,
  FilesServiceListRequestSchema,
  ReadRequestSchema,
  StatRequestSchema,
  WriteDisposition,
  WriteStartSchema,
} from "../../src/gen/sallyport/v1/files_pb.ts";
import { Problem } from "../../src/model/problem.ts";
import { decodeList, decodeRead, decodeStat, decodeWriteStart } from "../../src/server/decode/file-requests.ts";

/** What comes out, or the message of the problem. */
function outcome(decode: () => unknown): unknown {
  try {
    return decode();
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_argument") return error.message;
    throw error;
  }
}

const read = (init: MessageInitShape<typeof ReadRequestSchema>) =>
  outcome(() => decodeRead(parseAbsolutePath, create(ReadRequestSchema, { path: "/a", ...init })));
const write = (init: MessageInitShape<typeof WriteStartSchema>) =>
  outcome(() =>
    decodeWriteStart(
      parseAbsolutePath,
      "start",
      create(WriteStartSchema, { path: "/a", disposition: WriteDisposition.OVERWRITE, ...init }),
    ),
  );
const list = (init: MessageInitShape<typeof FilesServiceListRequestSchema>) =>
  outcome(() => decodeList(parseAbsolutePath, create(FilesServiceListRequestSchema, { path: "/a", ...init })));
const stat = (init: MessageInitShape<typeof StatRequestSchema>) =>
  outcome(() => decodeStat(parseAbsolutePath, create(StatRequestSchema, init)));

describe("paths by their bytes", () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);

  it("become paths like others", () => {
    expect(stat({ pathBytes: bytes(0x2f, 0x61, 0xff) })).toEqual({ kind: "stat", path: "/a\udcff" });
    expect(stat({ pathBytes: Buffer.from("/ä/../b/") })).toEqual({ kind: "stat", path: "/b" });
  });

  it.each([
    [{ path: "/a", pathBytes: bytes(0x2f) }, "path_bytes: not together with path"],
    [{ pathBytes: bytes(0x61) }, "path_bytes: must be an absolute path without NUL"],
    [{ pathBytes: bytes(0x2f, 0) }, "path_bytes: must be an absolute path without NUL"],
    [{ pathBytes: Buffer.alloc(4096, "/") }, "path_bytes: longer than 4095 bytes"],
    [{}, "path: must be set"],
  ])("are refused where they are none, %#", (init, reason) => {
    expect(stat(init)).toBe(reason);
  });
});

it.each([
  [{ fromLine: 3n }, { lines: { from: 3, count: 0 } }],
  [
    { fromLine: 3n, lines: 2n, maxBytes: 9n, sha256: true },
    { lines: { from: 3, count: 2 }, maxBytes: 9, hash: true },
  ],
  [{ lines: 2n }, "from_line: must be set where lines is"],
  [{ fromLine: 1n, offset: 1n }, "from_line: not together with offset and length"],
  [{ fromLine: 2n ** 60n }, "from_line: 1152921504606846976 is more than 9007199254740991"],
])("decodes the range of a read, %#", (init, expected) => {
  expect(read(init)).toEqual(
    typeof expected === "string" ? expected : { kind: "read", path: "/a", offset: 0, length: 0, ...expected },
  );
});

it.each([
  [{ version: { case: "sha256", value: new Uint8Array(32) } }, { kind: "sha256", hex: "00".repeat(32) }],
  [{ version: { case: "sha256", value: new Uint8Array(31) } }, "start.if_match.sha256: must be 32 bytes"],
  [
    { version: { case: "modifiedAt", value: "2026-01-02T03:04:05.000000006Z" } },
    { kind: "modified", at: "2026-01-02T03:04:05.000000006Z" },
  ],
  [
    { version: { case: "modifiedAt", value: "yesterday" } },
    "start.if_match.modified_at: must be a time as it was shown",
  ],
  [{}, "start.if_match: must name a version"],
] as const)("decodes the condition of a write, %#", (ifMatch, expected) => {
  const found = write({ ifMatch });
  if (typeof expected === "string") expect(found).toBe(expected);
  else expect(found).toMatchObject({ ifMatch: expected });
});

it("refuses a condition on what must not be there", () => {
  const ifMatch = { version: { case: "sha256", value: new Uint8Array(32) } } as const;
  expect(write({ disposition: WriteDisposition.CREATE, ifMatch })).toContain("start.if_match: not with CREATE");
});

it.each([
  [{ sort: FileSort.SIZE, descending: true }, { order: { by: "size", descending: true } }],
  [
    { depth: 2048, honorIgnoreFiles: true, cursor: "x" },
    { depth: 2048, honorIgnoreFiles: true, cursor: "x" },
  ],
  [{ depth: 2049 }, "depth: 2049 is not between 0 and 2048"],
  [{ sort: 9 as FileSort }, "sort: 9 is no known value"],
  [{ cursor: "x".repeat(40_961) }, "cursor: longer than 40960 bytes"],
])("decodes a list, %#", (init, expected) => {
  const found = list(init);
  if (typeof expected === "string") expect(found).toBe(expected);
  else expect(found).toMatchObject(expected);
});
