import { frameType, headerBytes } from "./protocol.ts";

/** The header of a frame whose payload is sent on its own, so that large data is not copied. */
export function encodeHeader(type: number, channel: number, length: number): Uint8Array {
  return build(type, channel, length, 0).bytes;
}

/** Ends standard input, or the direction towards a process inside. */
export function encodeEof(channel: number): Uint8Array {
  return encodeHeader(frameType.eof, channel, 0);
}

/** Sends SIGTERM to every process of a command's tree. */
export function encodeTerminate(channel: number): Uint8Array {
  return encodeHeader(frameType.terminate, channel, 0);
}

/** Has init read and drop what a command writes from now on. */
export function encodeDiscard(channel: number): Uint8Array {
  return encodeHeader(frameType.discard, channel, 0);
}

/** Kills the whole tree of a command. */
export function encodeKill(channel: number): Uint8Array {
  return encodeHeader(frameType.kill, channel, 0);
}

/** Ends a connection in both directions. */
export function encodeReset(channel: number): Uint8Array {
  return encodeHeader(frameType.reset, channel, 0);
}

/** Lets init send `bytes` more on the channel. */
export function encodeCredit(channel: number, bytes: number): Uint8Array {
  const frame = build(frameType.credit, channel, 4, 4);
  frame.view.setUint32(headerBytes, bytes, true);
  return frame.bytes;
}

/** Sends a signal to a command's process group. */
export function encodeSignal(channel: number, number: number): Uint8Array {
  const frame = build(frameType.signal, channel, 4, 4);
  frame.view.setUint32(headerBytes, number, true);
  return frame.bytes;
}

/** Gives a command's terminal a new size, in cells. */
export function encodeResize(channel: number, columns: number, rows: number): Uint8Array {
  const frame = build(frameType.resize, channel, 4, 4);
  frame.view.setUint16(headerBytes, columns, true);
  frame.view.setUint16(headerBytes + 2, rows, true);
  return frame.bytes;
}

/** Asks for a pong with the same token. */
export function encodePing(token: bigint): Uint8Array {
  const frame = build(frameType.ping, 0, 8, 8);
  frame.view.setBigUint64(headerBytes, token, true);
  return frame.bytes;
}

/** Asks what lstat(2) says of a path inside. */
export function encodeStat(channel: number, path: string): Uint8Array {
  const text = new TextEncoder().encode(path);
  const frame = build(frameType.stat, channel, text.length, text.length);
  frame.bytes.set(text, headerBytes);
  return frame.bytes;
}

function build(type: number, channel: number, length: number, room: number): { bytes: Uint8Array; view: DataView } {
  const bytes = new Uint8Array(headerBytes + room);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, (type * 0x100_0000 + length) >>> 0, true);
  view.setUint32(4, channel, true);
  return { bytes, view };
}
