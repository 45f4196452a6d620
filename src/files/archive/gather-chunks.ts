/** Bytes that are gathered before they are handed on. */
const fullBytes = 262_144;

/**
 * The bytes of a stream in fewer chunks: a tar's heads and fillings are small, and each message costs. A chunk that is large already is handed on as it is.
 * @throws TypeError where it brings anything but bytes
 */
export async function* gatherChunks(chunks: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("a stream of bytes brought something else");
    held.push(chunk);
    size += chunk.length;
    if (size < fullBytes) continue;
    yield held.length === 1 ? chunk : Buffer.concat(held, size);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held, size);
}
