import { pipeline, Readable, type Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type Zlib,
} from "node:zlib";
import { exhausted } from "../../model/exhausted.ts";
import { EgressProblem } from "../egress-problem.ts";
import { itemsOf } from "../field.ts";

type Coding = "gzip" | "br" | "deflate" | "zstd";

/** Layers of encoding that are taken off at most. */
const maxLayers = 2;

/** A frame of zstd says itself how much memory it wants; on the web that is 8 MiB at most (RFC 9659, section 3). As a power of two. */
const zstdWindowLog = 23;

/** Bytes out of one step: small, so that a bomb is noticed after little. */
const chunkSize = 65_536;

/**
 * The codings of a Content-Encoding header, outermost first. Undefined where one is unknown: the body is handed out as it came, with its
 * header. @throws EgressProblem `encoding` where there are more than two
 */
export function codingsOf(contentEncoding: readonly string[]): readonly Coding[] | undefined {
  const names = contentEncoding.flatMap(itemsOf).filter((name) => name !== "" && name !== "identity");
  if (names.length > maxLayers) throw new EgressProblem("encoding", `the body is encoded ${names.length} times`);
  const codings = names.map(codingOf);
  return codings.every((coding) => coding !== undefined) ? codings.toReversed() : undefined;
}

/**
 * Takes one coding off a stream. Members of gzip and frames of zstd that follow each other are joined. A body that is cut, or that goes on after its end with anything
 * (for gzip: anything but zeros), is refused: what it says can not be told from what somebody added.
 * @throws EgressProblem `encoding`
 */
export async function* decode(source: AsyncIterable<Uint8Array>, coding: Coding): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    const first = await nextBytes(iterator);
    // An empty body is no broken one: servers send the header with 204-like answers, too.
    if (first === undefined) return;
    const decoder = decoderOf(coding, first[0] ?? 0);
    const given = { bytes: 0 };
    // pipeline hands each side's failure to the other; it arrives in the loop below.
    pipeline(Readable.from(rejoined(first, iterator, given), { objectMode: false }), decoder, () => undefined);
    for await (const chunk of decoder as AsyncIterable<Uint8Array>) yield chunk;
    // What was given past the end is dropped without a word, but for gzip, where it is an error of its own.
    if (coding !== "gzip" && decoder.bytesWritten < given.bytes)
      throw new EgressProblem("encoding", `the body goes on after the end of its ${coding}`);
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

function decoderOf(coding: Coding, firstByte: number): Transform & Zlib {
  switch (coding) {
    case "gzip":
      return createGunzip({ chunkSize });
    case "br":
      return createBrotliDecompress({ chunkSize });
    case "zstd":
      return createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } });
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

/** All bytes again, counted. */
async function* rejoined(
  first: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
  given: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for (let next: Uint8Array | undefined = first; next !== undefined; next = await nextBytes(iterator)) {
    given.bytes += next.length;
    yield next;
  }
}

function isZlib(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && /^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_ZSTD|ZSTD_)/.test(String(error.code))
  );
}
