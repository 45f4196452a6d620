/** The other end broke the protocol, or what was asked does not fit into a frame. After the former the stream is worthless. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WireError";
  }
}
