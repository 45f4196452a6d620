import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from "node:zlib";
import { exhausted } from "../../model/exhausted.ts";
import { EgressProblem } from "../egress-problem.ts";

type Coding = "gzip" | "br" | "deflate" | "zstd";

/** Layers of encoding that are taken off at most. */
const maxLayers = 2;

/** Bytes out of one step: small, so that a bomb is noticed after little. */
const chunkSize = 65_536;

/**
 * The codings of a Content-Encoding header, outermost first. Undefined where one is unknown: the body is handed out as it came, with its
 * header. @throws EgressProblem `encoding` where there are more than two
 */
export function codingsOf(contentEncoding: readonly string[]): readonly Coding[] | undefined {
  const names = contentEncoding
    .flatMap((value) => value.split(","))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > maxLayers) throw new EgressProblem("encoding", `the body is encoded ${names.length} times`);
  const codings = names.map(codingOf);
  return codings.every((coding) => coding !== undefined) ? codings.toReversed() : undefined;
}

/**
 * Takes one coding off a stream. gzip members that follow each other are joined. A body that is cut, or that goes on after its end with anything
 * but zeros, is refused: what it says can not be told from what somebody added.
 * @throws EgressProblem `encoding`
 */
export async function* decode(source: AsyncIterable<Uint8Array>, coding: Coding): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    const first = await nextBytes(iterator);
    // An empty body is no broken one: servers send the header with 204-like answers, too.
    if (first === undefined) return;
    const decoder = decoderOf(coding, first[0] ?? 0);
    // pipeline hands each side's failure to the other; it arrives in the loop below.
    pipeline(Readable.from(rejoined(first, iterator), { objectMode: false }), decoder, () => undefined);
    for await (const chunk of decoder as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    if (isZlib(error)) throw new EgressProblem("encoding", `the body is no valid ${coding}`, { cause: error });
    throw error;
  } finally {
    await iterator.return?.();
  }
}

function codingOf(name: string): Coding | undefined {
  switch (name) {
    case "gzip":
    case "x-gzip":
      return "gzip";
    case "br":
    case "deflate":
    case "zstd":
      return name;
    default:
      return undefined;
  }
}

function decoderOf(coding: Coding, firstByte: number): Transform {
  switch (coding) {
    case "gzip":
      return createGunzip({ chunkSize });
    case "br":
      return createBrotliDecompress({ chunkSize });
    case "zstd":
      return createZstdDecompress({ chunkSize });
    case "deflate":
      // Some servers leave the zlib wrapper out; its first byte names method 8 (RFC 1950).
      return (firstByte & 0x0f) === 8 ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize });
    default:
      return exhausted(coding);
  }
}

async function nextBytes(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return undefined;
    if (next.value.length > 0) return next.value;
  }
}

async function* rejoined(first: Uint8Array, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await nextBytes(iterator); next !== undefined; next = await nextBytes(iterator)) yield next;
}

function isZlib(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && /^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_ZSTD|ZSTD_)/.test(String(error.code))
  );
}
