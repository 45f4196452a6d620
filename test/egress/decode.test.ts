import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { codingsOf, decode } from "../../src/egress/fetching/decode.ts";
import { reasonOf } from "./support/lab.ts";

const text = "hello world ".repeat(50);
const codings: readonly (readonly [name: string, coding: string, encode: (text: string) => Buffer])[] = [
  ["gzip", "gzip", (each) => gzipSync(each)],
  ["br", "br", (each) => brotliCompressSync(each)],
  ["zstd", "zstd", (each) => zstdCompressSync(each)],
  ["deflate", "deflate", (each) => deflateSync(each)],
  ["deflate without its wrapper", "deflate", (each) => deflateRawSync(each)],
];

async function decoded(coding: string, pieces: readonly Buffer[]): Promise<string> {
  const [known] = codingsOf([coding]) ?? [];
  if (known === undefined) throw new Error(`${coding} is unknown`);
  const parts: Uint8Array[] = [];
  for await (const part of decode(inPieces(pieces), known)) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function* inPieces(pieces: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

describe.each(codings)("a body in %s", (_name, coding, encode) => {
  const whole = encode(text);

  it("is the same in one piece and byte by byte", async () => {
    expect(await decoded(coding, [whole])).toBe(text);
    expect(
      await decoded(
        coding,
        Array.from(whole, (byte) => Buffer.of(byte)),
      ),
    ).toBe(text);
  });

  it("is refused where it goes on after its end, in the same piece or later, by much or by a byte", async () => {
    for (const more of ["x", "and more of what nobody packed", "<script>".repeat(4000)]) {
      const tail = Buffer.from(more);
      expect(await reasonOf(decoded(coding, [Buffer.concat([whole, tail])]))).toBe("encoding");
      expect(await reasonOf(decoded(coding, [whole, tail]))).toBe("encoding");
    }
  });

  it("is refused where it is cut", async () => {
    for (const length of [1, whole.length >> 1, whole.length - 1])
      expect(await reasonOf(decoded(coding, [whole.subarray(0, length)]))).toBe("encoding");
  });

  it("is joined where it comes in members, or refused where it has none", async () => {
    const two = decoded(coding, [whole, encode("again")]);
    if (coding === "gzip" || coding === "zstd") expect(await two).toBe(`${text}again`);
    else expect(await reasonOf(two)).toBe("encoding");
  });

  it("may be nothing at all", async () => {
    expect(await decoded(coding, [])).toBe("");
  });
});

describe("zstd", () => {
  const packed = (windowLog: number): Buffer =>
    zstdCompressSync(Buffer.alloc(40 << 20, "0123456789"), { params: { [constants.ZSTD_c_windowLog]: windowLog } });

  it("gets no more memory than a browser would give it", async () => {
    expect((await decoded("zstd", [packed(23)])).length).toBe(40 << 20);
    expect(await reasonOf(decoded("zstd", [packed(24)]))).toBe("encoding");
  });

  it("skips what its frames say is to be skipped", async () => {
    const skipped = Buffer.concat([Buffer.from("502a4d1804000000", "hex"), Buffer.from("skip")]);
    expect(await decoded("zstd", [skipped, zstdCompressSync(text), skipped])).toBe(text);
  });
});
