import type { FetchSpec, Header } from "../../gen/sallyport/v1/fetch_pb.ts";
import type { FetchIntent } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import { decodeCount, decodeWithin } from "./numbers.ts";
import { decodeName, decodeText } from "./text.ts";

const mebibyte = 1024 * 1024;
const maxUrlBytes = 8192;
const maxHeaders = 64;
const maxBodyBytes = 4 * mebibyte;
const maxAnswerBytes = 64 * mebibyte;
const maxTextBytes = 8 * mebibyte;
const defaultAnswerBytes = mebibyte;
const maxTimeoutMs = 600_000;
const defaultTimeoutMs = 30_000;

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** RFC 9110 section 5.6.2: `token`. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 section 5.5: no control characters but the tab, nothing beyond Latin-1. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that belong to a connection, to the proxy or to the sidecar (RFC 9110 section 7.6.1). */
const reserved =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|content-length|expect|via|forwarded|proxy-.*)$/i;
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const control = /[\x00-\x20\x7f]/;

/** What is to be fetched. @throws Problem `invalid_argument`. */
export function decodeFetchSpec(field: string, spec: FetchSpec | undefined): FetchIntent {
  if (spec === undefined) throw invalid(field, "must be set");
  if (spec.body.length > maxBodyBytes) throw invalid(`${field}.body`, `longer than ${maxBodyBytes} bytes`);
  return {
    kind: "fetch",
    url: decodeUrl(`${field}.url`, spec.url),
    method: decodeMethod(`${field}.method`, spec.method),
    headers: decodeHeaders(`${field}.headers`, spec.headers),
    // A copy: the message's bytes are a view of what was received, and this may wait for a person.
    body: spec.body.length === 0 ? undefined : new Uint8Array(spec.body),
    maxBytes:
      decodeCount(`${field}.max_bytes`, spec.maxBytes, spec.asText ? maxTextBytes : maxAnswerBytes) ||
      defaultAnswerBytes,
    timeoutMs: decodeWithin(`${field}.timeout_ms`, spec.timeoutMs, 0, maxTimeoutMs) || defaultTimeoutMs,
    hop: 0,
  };
}

/** An absolute http or https URL, as it was written; where it leads is for others to judge. @throws Problem `invalid_argument`. */
export function decodeUrl(field: string, text: string): string {
  decodeName(field, text, maxUrlBytes);
  if (control.test(text)) throw invalid(field, "holds a blank or a control character");
  const url = URL.parse(text);
  if (url === null) throw invalid(field, "is no absolute URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw invalid(field, "must be http or https");
  if (url.username !== "" || url.password !== "") throw invalid(field, "must hold no user name and no password");
  return text;
}

function decodeMethod(field: string, method: string): string {
  if (method === "") return "GET";
  if (!methods.has(method)) throw invalid(field, `must be one of ${[...methods].join(", ")}`);
  return method;
}

function decodeHeaders(field: string, headers: readonly Header[]): FetchIntent["headers"] {
  if (headers.length > maxHeaders) throw invalid(field, `more than ${maxHeaders}`);
  return headers.map(({ name, value }, index): readonly [string, string] => {
    const at = `${field}[${index}]`;
    decodeName(`${at}.name`, name);
    if (!token.test(name)) throw invalid(`${at}.name`, "is no field name");
    if (reserved.test(name)) throw invalid(`${at}.name`, `${name} is not the caller's to set`);
    decodeText(`${at}.value`, value);
    if (!fieldValue.test(value)) throw invalid(`${at}.value`, "holds a control character or one beyond Latin-1");
    return [name, value];
  });
}
