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

/** `CIDR`, `CIDR:PORT` or `[CIDR]:PORT`: the form only, the egress room judges how wide it is. */
export function isCidrWithPort(text: string): boolean {
  const found = /^(?:\[([0-9A-Fa-f:.]+)\/(\d{1,3})\]|([0-9A-Fa-f:.]+)\/(\d{1,3}))(?::([1-9]\d{0,4}))?$/.exec(text);
  const address = found?.[1] ?? found?.[3] ?? "";
  const bits = Number(found?.[2] ?? found?.[4]);
  if (Number(found?.[5] ?? 0) > 65_535) return false;
  return (isIpv4(address) && bits <= 32 && found?.[1] === undefined) || (isIpv6(address) && bits <= 128);
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

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]/`);
}
