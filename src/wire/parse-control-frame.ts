import type { Frame } from "./frame.ts";
import { exitFlag, exitLimits, firstTcpChannel, frameType, windowBytes } from "./protocol.ts";
import { WireError } from "./wire-error.ts";

/** Exact payload length of each frame that init may send, data frames aside. */
export const controlLength: ReadonlyMap<number, number> = new Map([
  [frameType.hello, 8],
  [frameType.started, 4],
  [frameType.failed, 8],
  [frameType.eof, 0],
  [frameType.credit, 4],
  [frameType.exit, 48],
  [frameType.open, 0],
  [frameType.reset, 0],
  [frameType.pong, 8],
  [frameType.stated, 24],
]);

/** Longest of them. */
export const maxControlLength = 48;

const noCode = 0xffff_ffff;

/**
 * Reads the payload of a control frame, whose length was checked.
 * @throws WireError where a value makes no sense.
 */
export function parseControlFrame(type: number, channel: number, payload: DataView): Frame {
  switch (type) {
    case frameType.hello:
      return { kind: "hello", version: payload.getUint32(0, true), features: payload.getUint32(4, true) };
    case frameType.started:
      return { kind: "started", channel, pid: payload.getUint32(0, true) };
    case frameType.failed:
      return { kind: "failed", channel, errno: payload.getUint32(0, true), stage: payload.getUint32(4, true) };
    case frameType.eof:
      return { kind: "eof", channel };
    case frameType.open:
      if (channel < firstTcpChannel) throw new WireError(`a connection on channel ${channel}`);
      return { kind: "open", channel };
    case frameType.reset:
      return { kind: "reset", channel };
    case frameType.credit:
      return { kind: "credit", channel, bytes: readCredit(payload) };
    case frameType.pong:
      return { kind: "pong", channel, token: payload.getBigUint64(0, true) };
    case frameType.stated:
      return {
        kind: "stated",
        channel,
        errno: payload.getUint32(0, true),
        mode: payload.getUint32(4, true),
        device: payload.getBigUint64(8, true),
        inode: payload.getBigUint64(16, true),
      };
    case frameType.exit:
      return readExit(channel, payload);
    default:
      throw new WireError(`frame type ${type}`);
  }
}

function readCredit(payload: DataView): number {
  const bytes = payload.getUint32(0, true);
  if (bytes === 0 || bytes > windowBytes) throw new WireError(`a credit of ${bytes} bytes`);
  return bytes;
}

function readExit(channel: number, payload: DataView): Frame {
  const code = payload.getUint32(0, true);
  const signal = payload.getUint32(4, true);
  const signalled = code === noCode;
  if (signalled ? signal < 1 || signal > 64 : code > 255 || signal !== 0)
    throw new WireError(`an exit with code ${code} and signal ${signal}`);
  const flags = payload.getUint32(8, true);
  const limit = payload.getUint32(12, true);
  if (flags > exitFlag.killedRest || limit >= exitLimits.length)
    throw new WireError(`an exit with flags ${flags} and limit ${limit}`);
  return {
    kind: "exit",
    channel,
    code: signalled ? undefined : code,
    signal: signalled ? signal : undefined,
    flags,
    limit: exitLimits[limit],
    userMicros: readCount(payload, 16),
    systemMicros: readCount(payload, 24),
    wallMicros: readCount(payload, 32),
    maxRssBytes: readCount(payload, 40),
  };
}

/** Saturates: a counter past 2^53 is nonsense, but not worth a container. */
function readCount(payload: DataView, at: number): number {
  return Math.min(Number(payload.getBigUint64(at, true)), Number.MAX_SAFE_INTEGER);
}
