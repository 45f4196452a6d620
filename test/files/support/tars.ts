/** One entry of a hand-made archive. */
export interface RawEntry {
  readonly name: string | Buffer;
  /** The type's character: `0` file, `1` hard link, `2` symbolic link, `5` folder … */
  readonly type?: string;
  readonly link?: string | Buffer;
  readonly content?: string | Buffer;
  readonly mode?: number;
  /** What the head says, where it lies. */
  readonly size?: number | bigint;
}

const block = 512;

/** A tar archive as it is on the wire, of entries that no packer would make. */
export function tarOf(...entries: readonly RawEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(rawEntry), Buffer.alloc(2 * block)]);
}

/** An extended head (pax) for the entry after it. */
export function paxHead(values: Readonly<Record<string, string | Buffer>>, type = "x"): RawEntry {
  const records = Object.entries(values).map(([key, value]) => {
    const body = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from("\n")]);
    let length = body.length;
    while (String(length).length + body.length !== length) length = String(length).length + body.length;
    return Buffer.concat([Buffer.from(String(length)), body]);
  });
  return { name: "pax", type, content: Buffer.concat(records) };
}

function rawEntry({ name, type = "0", link = "", content = "", mode = 0o644, size }: RawEntry): Buffer[] {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(block);
  Buffer.from(name).copy(head, 0, 0, 100);
  head.write(octal(mode, 7), 100);
  head.write(octal(0, 7), 108);
  head.write(octal(0, 7), 116);
  writeSize(head, size ?? bytes.length);
  head.write(octal(0, 11), 136);
  head.write("        ", 148);
  head.write(type, 156);
  Buffer.from(link).copy(head, 157, 0, 100);
  head.write("ustar\x0000", 257);
  head.write(
    octal(
      head.reduce((sum, byte) => sum + byte, 0),
      6,
    ),
    148,
  );
  head[155] = 32;
  return [head, bytes, Buffer.alloc((block - (bytes.length % block)) % block)];
}

/** In octal, or from 8 GiB on in base 256. */
function writeSize(head: Buffer, size: number | bigint): void {
  if (BigInt(size) < 8n ** 11n) {
    head.write(octal(Number(size), 11), 124);
    return;
  }
  head[124] = 0x80;
  for (let at = 11, rest = BigInt(size); at > 0; at -= 1, rest >>= 8n) head[124 + at] = Number(rest & 255n);
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, "0")}\0`;
}
