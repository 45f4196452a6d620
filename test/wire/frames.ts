/** A frame as init would write it. */
export function frameBytes(type: number, channel: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const bytes = Buffer.alloc(8 + payload.length);
  bytes.writeUInt32LE((type * 0x1000000 + payload.length) >>> 0, 0);
  bytes.writeUInt32LE(channel, 4);
  bytes.set(payload, 8);
  return bytes;
}

/** Payload of an exit: times of 1, 2 and 3 microseconds, 4 bytes of memory. */
export function exitPayload(exit: { code?: number; signal?: number; flags?: number; limit?: number }): Buffer {
  const bytes = Buffer.alloc(48);
  bytes.writeUInt32LE(exit.code ?? 0xffffffff, 0);
  bytes.writeUInt32LE(exit.signal ?? 0, 4);
  bytes.writeUInt32LE(exit.flags ?? 0, 8);
  bytes.writeUInt32LE(exit.limit ?? 0, 12);
  for (const [index, value] of [1n, 2n, 3n, 4n].entries()) bytes.writeBigUInt64LE(value, 16 + 8 * index);
  return bytes;
}

/** Cuts bytes into chunks of the given sizes; the rest is the last chunk. */
export function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) break;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  chunks.push(bytes.subarray(at));
  return chunks;
}
