/** How far the declaration of an HTML page's encoding may lie in (HTML Standard, section 13.2.3.2). */
const sniffedBytes = 1024;

/**
 * Decodes text by its byte order mark, the charset of its Content-Type, or for HTML the one that the page declares; otherwise as UTF-8 where it is valid, and as windows-1252 where it is not
 * (WHATWG Encoding). Bytes that mean nothing become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: ContentType, isHtml: boolean): string {
  const label = bomOf(bytes) ?? contentType.charset ?? (isHtml ? declaredIn(bytes) : undefined);
  const decoder = label === undefined ? undefined : decoderOf(label);
  if (decoder !== undefined) return decoder.decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A media type (RFC 9110, section 8.3.1). */
export interface ContentType {
  /** Lower case, without parameters; empty where there is none. */
  readonly type: string;
  readonly charset: string | undefined;
}

/** Reads a Content-Type header. Parameters other than the charset are dropped. */
export function parseContentType(value: string): ContentType {
  const [type = "", ...parameters] = value.split(";");
  const charset = parameters.flatMap((parameter) => {
    const found = /^\s*charset\s*=\s*"?([\w:.+-]{1,40})"?\s*$/i.exec(parameter);
    return found?.[1] === undefined ? [] : [found[1]];
  })[0];
  return { type: type.trim().toLowerCase(), charset };
}

function bomOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return undefined;
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, sniffedBytes)).toString("latin1");
  const label = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.+-]{1,40})/i.exec(head)?.[1];
  // A declaration that can be read as ASCII is not in UTF-16, whatever it says.
  return label?.toLowerCase().startsWith("utf-16") === true ? "utf-8" : label;
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
