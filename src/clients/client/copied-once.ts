/** Bytes of messages that are worth a buffer that is used again; the least is too much for malloc's arena. */
const sizes = { least: 65_536, most: 262_144 + 16 };

/** Buffers that wait for other bytes. grpc-js copies a message a moment after it took it. */
const mostSpare = 2;

/** Makes buffers for messages that grpc-js copies, once, into the frame that it sends. */
export type CopiedOnce = (bytes: number) => Buffer;

/**
 * Makes a maker of buffers. A large one is used again as soon as its bytes were copied, by `copy`: a new one for each chunk of a file is fresh memory, whose pages fault, and garbage. One that is
 * never copied is collected like any other.
 */
export function copiedOnce(): CopiedOnce {
  const spare: ArrayBuffer[] = [];
  return (bytes) => {
    if (bytes < sizes.least || bytes > sizes.most) return Buffer.allocUnsafe(bytes);
    const room = spare.pop() ?? new ArrayBuffer(sizes.most);
    const message = Buffer.from(room, 0, bytes);
    const copy = message.copy.bind(message);
    let lent = true;
    message.copy = (...where) => {
      const copied = copy(...where);
      if (lent && spare.length < mostSpare) spare.push(room);
      lent = false;
      return copied;
    };
    return message;
  };
}
