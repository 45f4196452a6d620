import type { ServerResponse } from "node:http";

/** Nothing but our own files, no inline script or style, no frame around us, no text that becomes markup. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const everywhere: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=()",
  "cache-control": "no-store",
};

/** Sets what every answer carries. `tls` adds that the host is to be reached over TLS only (RFC 6797). */
export function setSecurityHeaders(response: ServerResponse, tls: boolean): void {
  for (const [name, value] of Object.entries(everywhere)) response.setHeader(name, value);
  if (tls) response.setHeader("strict-transport-security", "max-age=31536000");
}
