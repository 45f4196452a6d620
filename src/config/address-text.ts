/** A host, an address or a bracketed IPv6 address, with its port. Undefined where the text is none. */
export function parseHostPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const found = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/\\@[\]]+)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  const host = found?.[1] ?? found?.[2];
  if (host === undefined || port > 65_535) return undefined;
  return found?.[1] === undefined || isIpv6(host) ? { host, port } : undefined;
}

/** `HOST:PORT`; port 0 takes a free one. */
export function isHostWithPort(text: string): boolean {
  return parseHostPort(text) !== undefined;
}

/** `HOST` or `HOST:PORT` of a server that speaks TLS: one canonical name or address, no pattern. The egress room parses it once more. */
export function isHostOfTls(text: string): boolean {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([1-9]\d{0,4}))?$/.exec(text);
  const name = found?.[1] ?? "";
  return (
    found !== null &&
    Number(found[2] ?? 443) <= 65_535 &&
    URL.parse(`https://${name}/`)?.hostname === name &&
    !name.endsWith(".")
  );
}

/** Widest range that may be opened, in bits of its prefix: nobody opens the internet by a typing error. */
const leastBits = { v4: 8, v6: 7 };

/** `CIDR`, `CIDR:PORT` or `[CIDR]:PORT`, with no bit set past the prefix: what the egress room takes, so that it does not stop the start later. */
export function isCidrWithPort(text: string): boolean {
  const found =
    /^(?:\[([0-9A-Fa-f:.]+)\/(0|[1-9]\d{0,2})\]|([0-9A-Fa-f:.]+)\/(0|[1-9]\d{0,2}))(?::([1-9]\d{0,4}))?$/.exec(text);
  const address = found?.[1] ?? found?.[3] ?? "";
  const bits = Number(found?.[2] ?? found?.[4]);
  const bytes = addressBytes(address);
  if (bytes === undefined || bits > bytes.length * 8 || Number(found?.[5] ?? 0) > 65_535) return false;
  if (bytes.length === 4 && found?.[1] !== undefined) return false;
  if (bits < (bytes.length === 4 ? leastBits.v4 : leastBits.v6)) return false;
  return bytes.every((byte, at) => (byte & (0xff >> Math.min(8, Math.max(0, bits - at * 8)))) === 0);
}

/** `ADDRESS` or `ADDRESS:PORT` of a DNS server. */
export function isResolver(text: string): boolean {
  if (isIpv4(text) || isIpv6(text)) return true;
  const parsed = parseHostPort(text);
  return parsed !== undefined && parsed.port > 0 && (isIpv4(parsed.host) || isIpv6(parsed.host));
}

/** Loopback addresses and `localhost`; any other name can change what it resolves to. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIpv4(host) && host.startsWith("127."));
}

/** The URL of a service that is told of questions: TLS, or this machine. Nothing in it that would not be sent as it stands. */
export function isServiceUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[\s?#\\]/.test(text) || url.username !== "" || url.password !== "" || url.port === "0")
    return false;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return url.protocol === "https:" || (url.protocol === "http:" && host !== "localhost" && isLoopbackHost(host));
}

/** The bytes of an address in network order; undefined where it is none. */
function addressBytes(text: string): number[] | undefined {
  if (isIpv4(text)) return text.split(".").map(Number);
  const host = isIpv6(text) ? URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) : undefined;
  if (host === undefined) return undefined;
  // The URL parser leaves hexadecimal groups and at most one `::` (RFC 5952).
  const [left = [], right] = host.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const groups = [
    ...left,
    ...Array<string>(right === undefined ? 0 : 8 - left.length - right.length).fill("0"),
    ...(right ?? []),
  ];
  return groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 0xff]);
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]/`);
}
