/** What the first bytes of a connection are. */
export type Sniffed =
  | { readonly kind: "more" }
  | { readonly kind: "not_tls" }
  | { readonly kind: "malformed"; readonly why: string }
  /** `name`: lower case; undefined where the client names no server. `encrypted`: there is another ClientHello in it that nobody between can read. */
  | { readonly kind: "hello"; readonly name: string | undefined; readonly encrypted?: true };

/** A ClientHello in bytes at most, its record headers included. Post-quantum key shares and long ticket lists stay far below. */
export const maxHelloBytes = 32_768;
/** Records that one ClientHello may be cut into. */
const maxRecords = 64;

const recordHandshake = 22;
const messageClientHello = 1;
const extensionServerName = 0;
/** `encrypted_client_hello` (RFC 9849), and the numbers that it and `encrypted_server_name` had in their drafts. */
const encryptedExtensions: ReadonlySet<number> = new Set([
  0xfe0d, 0xfe0c, 0xfe0b, 0xfe0a, 0xfe09, 0xfe08, 0xff03, 0xff02, 0xffce,
]);
const nameTypeHost = 0;

/**
 * Looks for the server name of a TLS ClientHello (RFC 8446, section 4.1.2; RFC 6066, section 3) in the first bytes of a stream, over as many
 * records as it takes.
 */
export function sniffClientHello(bytes: Uint8Array): Sniffed {
  if (bytes.length === 0) return { kind: "more" };
  if (bytes[0] !== recordHandshake) return { kind: "not_tls" };
  const handshake = handshakeBytes(bytes);
  if (handshake === "not_tls") return { kind: "not_tls" };
  if (typeof handshake === "string") return { kind: "malformed", why: handshake };
  if (handshake.length < 4) return tooLong(bytes);
  if (handshake[0] !== messageClientHello) return { kind: "malformed", why: "the first message is no ClientHello" };
  const length = new Reader(handshake.subarray(1)).number(3);
  if (length === undefined || length > maxHelloBytes) return { kind: "malformed", why: "the ClientHello is too long" };
  if (handshake.length < 4 + length) return tooLong(bytes);
  return serverName(handshake.subarray(4, 4 + length));
}

function tooLong(bytes: Uint8Array): Sniffed {
  return bytes.length > maxHelloBytes ? { kind: "malformed", why: "the ClientHello is too long" } : { kind: "more" };
}

/** The payloads of the handshake records, joined, as far as they arrived. A string says what is wrong. */
function handshakeBytes(bytes: Uint8Array): Uint8Array | string {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== recordHandshake) return "another record inside the ClientHello";
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return at === 0 ? "not_tls" : "a record of another version";
    if (at + 5 > bytes.length) break;
    const size = ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0);
    if (size === 0 || size > 16_384) return "a record of a length that is not allowed";
    if (parts.length === maxRecords) return "too many records";
    parts.push(bytes.subarray(at + 5, at + 5 + size));
    const joined = Buffer.concat(parts);
    // Bytes after the first message (early data) are not looked at.
    if (joined.length >= 4 && joined.length >= 4 + joined.readUIntBE(1, 3)) return joined;
    at += 5 + size;
  }
  return Buffer.concat(parts);
}

function serverName(hello: Uint8Array): Sniffed {
  const reader = new Reader(hello);
  reader.skip(2 + 32);
  reader.vector(1);
  reader.vector(2);
  reader.vector(1);
  const extensions = new Reader(reader.left === 0 ? new Uint8Array() : (reader.vector(2) ?? new Uint8Array()));
  if (reader.broken) return { kind: "malformed", why: "the ClientHello is cut" };
  if (reader.left > 0) return { kind: "malformed", why: "the ClientHello goes on after its extensions" };
  const lists: Uint8Array[] = [];
  let encrypted = false;
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (data === undefined) return { kind: "malformed", why: "an extension is cut" };
    if (type === extensionServerName) lists.push(data);
    if (type !== undefined && encryptedExtensions.has(type)) encrypted = true;
  }
  if (lists.length > 1) return { kind: "malformed", why: "two server names" };
  const found: Sniffed = lists[0] === undefined ? { kind: "hello", name: undefined } : nameOf(lists[0]);
  return found.kind === "hello" && encrypted ? { ...found, encrypted } : found;
}

function nameOf(data: Uint8Array): Sniffed {
  const outer = new Reader(data);
  const list = new Reader(outer.vector(2) ?? new Uint8Array());
  const type = list.number(1);
  const name = list.vector(2);
  if (type !== nameTypeHost || name === undefined || name.length === 0 || list.left > 0 || outer.left > 0)
    return { kind: "malformed", why: "the server name is malformed" };
  return { kind: "hello", name: Buffer.from(name).toString("latin1").toLowerCase() };
}

/** Reads numbers and length-prefixed vectors; past the end everything is undefined and `broken` is set. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  broken = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  skip(count: number): void {
    this.#take(count);
  }

  number(size: number): number | undefined {
    const bytes = this.#take(size);
    return bytes === undefined ? undefined : Buffer.from(bytes).readUIntBE(0, size);
  }

  vector(lengthSize: number): Uint8Array | undefined {
    const length = this.number(lengthSize);
    return length === undefined ? undefined : this.#take(length);
  }

  #take(count: number): Uint8Array | undefined {
    if (this.broken || count > this.left) {
      this.broken = true;
      return undefined;
    }
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}
