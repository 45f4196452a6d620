import { EgressProblem } from "../egress-problem.ts";
import { codingsOf, decode } from "./decode.ts";

/** Where a body ends. */
export interface BodyLimits {
  /** Decoded bytes that are handed out at most. */
  readonly maxBytes: number;
  /** Decoded bytes for each byte on the wire, above which an encoded body is a bomb; looked at past one mebibyte. */
  readonly maxRatio: number;
  /** What happens past `maxBytes`: end the body there and say so, or fail. */
  readonly oversize: "truncate" | "refuse";
}

/** A decoded body under its cap. */
export interface CappedBody {
  readonly chunks: AsyncGenerator<Uint8Array>;
  /** True once the cap ended the body. */
  truncated(): boolean;
  /** False where it is handed out as it came, because its coding is unknown. */
  readonly decoded: boolean;
}

/** Bytes below which no ratio is looked at: small repetitive pages compress well. */
const ratioFloor = 1 << 20;

/**
 * Puts caps on a body and takes its codings off. `stop` closes the connection; it is called before the body is given up, because a reader that
 * waits for the next bytes cannot be told to stop otherwise.
 */
export function cappedBody(
  wire: AsyncIterable<Uint8Array>,
  contentEncoding: readonly string[],
  limits: BodyLimits,
  stop: () => Promise<void>,
): CappedBody {
  const codings = codingsOf(contentEncoding);
  const decoded = codings !== undefined && codings.length > 0;
  // Where nothing is unpacked, nothing is counted.
  const counts = { wire: decoded ? 0 : Number.POSITIVE_INFINITY, truncated: false };
  const plain = decoded
    ? codings.reduce<AsyncIterable<Uint8Array>>((source, coding) => decode(source, coding), count(wire, counts))
    : wire;
  return { chunks: cap(plain, limits, counts, stop), truncated: () => counts.truncated, decoded };
}

interface Counts {
  wire: number;
  truncated: boolean;
}

async function* count(source: AsyncIterable<Uint8Array>, counts: Counts): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    counts.wire += chunk.length;
    yield chunk;
  }
}

async function* cap(
  source: AsyncIterable<Uint8Array>,
  limits: BodyLimits,
  counts: Counts,
  stop: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    const left = limits.maxBytes - bytes;
    bytes += chunk.length;
    if (bytes > ratioFloor && bytes > counts.wire * limits.maxRatio) {
      await stop();
      throw new EgressProblem("bomb", `the body unpacks to more than ${limits.maxRatio} times its size`);
    }
    if (chunk.length <= left) {
      yield chunk;
      continue;
    }
    await stop();
    if (limits.oversize === "refuse")
      throw new EgressProblem("too_large", `the body is larger than ${limits.maxBytes} bytes`);
    counts.truncated = true;
    if (left > 0) yield chunk.subarray(0, left);
    return;
  }
}
