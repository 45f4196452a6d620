const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The one spelling of a host: lower-case ASCII without a trailing dot, or an address literal without brackets in its shortest form, as the WHATWG URL
 * parser reads it (so `0x7f.1` is `127.0.0.1`). Undefined where it is no host, holds anything but ASCII letters, digits, `-`, `_`, `.` after that, or is too long (RFC 1035).
 */
export function canonicalHost(text: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (text === "" || text.length > 1024 || /[\u0000-\u0020\u007f/\\?#@%]/.test(text)) return undefined;
  const bracketed = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = URL.parse(`http://${bracketed}/`);
  if (url === null || url.port !== "" || url.username !== "" || url.pathname !== "/") return undefined;
  const host = url.hostname;
  if (host.startsWith("[")) return host.slice(1, -1);
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  if (name.length > 253 || name.split(".").some((part) => !label.test(part))) return undefined;
  return name;
}
